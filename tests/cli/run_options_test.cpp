// SPDX-License-Identifier: Apache-2.0
// Every option of Tart's run (specification 5 and 8.2) on Linux: taken, or refused with the reason.
#include "tests/cli/command_line_support.h"

namespace vitrine::test {

namespace {

enum class Verdict { Taken, Unavailable, UsageError };

struct Row {
    std::vector<const char*> words;
    Verdict verdict;
    const char* says = ""; // on standard error
};

QStringList lineOf(const char* machine, const std::vector<const char*>& words) {
    QStringList line{s("run"), s(machine), s("--no-graphics")};
    for (const char* word : words)
        line << s(word);
    return line;
}

std::string textOf(const std::vector<const char*>& words) {
    std::string text;
    for (const char* word : words)
        text += std::string(" ") + word;
    return text;
}

} // namespace

// With a machine that does not exist: what the line itself is worth is found out before that.
TEST_F(CommandLine, RunTakesEveryOptionOfTartOrSaysWhyNot) {
    constexpr const char* mac = "Mac with Apple silicon";
    const std::vector<Row> rows{
        {{}, Verdict::Taken},
        {{"--graphics"}, Verdict::UsageError, "--graphics and --no-graphics exclude"},
        {{"--serial"}, Verdict::Taken},
        {{"--serial-path", "/dev/ttyS9"}, Verdict::Taken},
        {{"--serial", "--serial-path", "/dev/ttyS9"}, Verdict::Taken},
        {{"--no-audio"}, Verdict::Taken},
        {{"--no-clipboard"}, Verdict::Taken},
        {{"--no-pointer"}, Verdict::Taken},
        {{"--no-keyboard"}, Verdict::Taken},
        {{"--no-trackpad"}, Verdict::Unavailable, mac},
        {{"--recovery"}, Verdict::Unavailable, mac},
        {{"--rosetta", "rosetta"}, Verdict::Unavailable, mac},
        {{"--provisioning-opts", "fullName=a"}, Verdict::Unavailable, mac},
        {{"--nested"}, Verdict::Taken},
        {{"--suspendable"}, Verdict::Taken},
        {{"--capture-system-keys"}, Verdict::Taken},
        {{"--vnc"}, Verdict::Taken},
        {{"--vnc-experimental"}, Verdict::Taken},
        {{"--vnc", "--vnc-experimental"}, Verdict::UsageError, "--vnc"},
        {{"--disk", "a.img", "--disk", "b.iso:ro"}, Verdict::Taken},
        {{"--disk", "a.img:ro,sync=fsync,caching=cached"}, Verdict::Taken},
        {{"--disk", "nbd://localhost:10809/d:sync=none"}, Verdict::Taken},
        {{"--disk", "ghcr.io/cirruslabs/ubuntu:latest:ro"}, Verdict::Taken},
        {{"--root-disk-opts", "ro,sync=none,caching=uncached"}, Verdict::Taken},
        {{"--root-disk-opts", ""}, Verdict::Taken},
        {{"--dir", "/srv", "--dir", "n:/srv:ro,tag=x"}, Verdict::Taken},
        {{"--dir", "https://example.com/a.tar.gz:ro"}, Verdict::Taken},
        {{"--net-bridged", "br0", "--net-bridged", "br1"}, Verdict::Taken},
        {{"--net-host"}, Verdict::Taken},
        {{"--net-softnet"}, Verdict::Taken},
        {{"--net-softnet-allow", "10.0.0.0/8,@host"}, Verdict::Taken},
        {{"--net-softnet-block", "0.0.0.0/0"}, Verdict::Taken},
        {{"--net-softnet-expose", "2222:22,8080:80"}, Verdict::Taken},
        {{"--net-softnet-control-fd", "3"}, Verdict::Unavailable, "vitrinectl net"},
        {{"--disk"}, Verdict::UsageError, "--disk"},
        {{"--dir"}, Verdict::UsageError, "--dir"},
        {{"--frobnicate"}, Verdict::UsageError, "--frobnicate"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(textOf(row.words));
        const Finished ran = run(lineOf("gone", row.words));
        const std::string said = ran.err.toStdString();
        switch (row.verdict) {
        case Verdict::Taken:
            EXPECT_EQ(ran.code, 2) << said;
            EXPECT_TRUE(ran.err.contains("\"gone\"")) << said;
            break;
        case Verdict::Unavailable:
            EXPECT_EQ(ran.code, 1) << said;
            EXPECT_TRUE(ran.err.contains(row.words.front())) << said;
            EXPECT_TRUE(ran.err.contains("is not available.")) << said;
            EXPECT_TRUE(ran.err.contains(row.says)) << said;
            break;
        case Verdict::UsageError:
            EXPECT_EQ(ran.code, 64) << said;
            EXPECT_TRUE(ran.err.contains(row.says)) << said;
            break;
        }
    }
}

// Values, with a machine that exists. Nothing is started.
TEST_F(CommandLine, RunRefusesValuesThatTartCrashesOnOrMisunderstands) {
    const QString directory = add("web");
    const std::vector<Row> rows{
        {{"--disk", ""}, Verdict::UsageError},
        {{"--disk", "::"}, Verdict::UsageError},
        {{"--disk", "ro"}, Verdict::UsageError},
        {{"--disk", "d.img:sync=sometimes"}, Verdict::UsageError, "sometimes"},
        {{"--disk", "d.img:ro,caching=never"}, Verdict::UsageError, "never"},
        {{"--root-disk-opts", "sync=sometimes"}, Verdict::UsageError, "sometimes"},
        {{"--root-disk-opts", "readonly"}, Verdict::UsageError, "readonly"},
        {{"--dir", ""}, Verdict::UsageError},
        {{"--dir", "ro"}, Verdict::UsageError},
        {{"--dir", "tag=x"}, Verdict::UsageError},
        {{"--dir", "/p:rw"}, Verdict::UsageError},
        {{"--dir", "/p:rw,ro"}, Verdict::UsageError, "rw"},
        {{"--dir", "/p:tag="}, Verdict::UsageError},
        {{"--dir", "a:/x", "--dir", "a:/y"}, Verdict::UsageError},
        {{"--dir", "/x", "--dir", "b:/y"}, Verdict::UsageError},
        {{"--net-host", "--net-softnet"}, Verdict::UsageError, "--net-host"},
        {{"--net-host", "--net-softnet-allow", "10.0.0.0/8"}, Verdict::UsageError, "--net-host"},
        {{"--net-host", "--net-bridged", "br0"}, Verdict::UsageError, "--net-bridged"},
        {{"--net-softnet-allow", "10.0.0.0"}, Verdict::UsageError, "10.0.0.0"},
        {{"--net-softnet-block", "10.0.0.0/33"}, Verdict::UsageError, "10.0.0.0/33"},
        {{"--net-softnet-expose", "2222"}, Verdict::UsageError, "2222"},
        {{"--net-softnet-expose", "70000:22"}, Verdict::UsageError, "70000"},
        {{"--net-softnet-expose", "7781:22,7781:23"}, Verdict::UsageError, "twice"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(textOf(row.words));
        const Finished ran = run(lineOf("web", row.words));
        const std::string said = ran.err.toStdString();
        EXPECT_EQ(ran.code, 64) << said;
        EXPECT_FALSE(ran.err.isEmpty());
        EXPECT_TRUE(ran.err.contains(row.says)) << said;
        EXPECT_EQ(m_small.library.stateOf(directory), MachineState::Stopped);
    }
}

} // namespace vitrine::test
