// SPDX-License-Identifier: Apache-2.0
// The program that the tests of kills kill: does the same work again and again, and says a dot for
// each time.
//   set HOME NAME        changes the CPUs from 2 to 3 and back
//   grow HOME NAME       lets the disk grow and changes the memory with it
//   rename HOME A B      from A to B and back
//   delete HOME A B      clones A as B and deletes B
#include "core/library/machine_operations.h"

#include <QCoreApplication>
#include <QFile>

#include <cstdio>

namespace vitrine {
namespace {

bool once(const Library& library,
          const QByteArray& action,
          const MachineName& name,
          const MachineName& other,
          int round) {
    if (action == "set")
        return changeMachine(library, name, {.cpuCount = 2 + round % 2}).has_value();
    if (action == "grow") {
        const auto machine = library.machine(name);
        if (!machine || !machine->config)
            return false;
        MachineChanges changes;
        changes.memory = ByteCount::fromMiB(machine->config->memory.wholeMiB() + 1);
        changes.diskSize = ByteCount::fromBytes((machine->diskSize.bytes() / 512 + 1) * 512);
        return changeMachine(library, name, changes).has_value();
    }
    if (action == "rename")
        return renameMachine(library, name, other) && renameMachine(library, other, name);
    if (action == "delete")
        return cloneMachine(library, name.text(), other, JobContext()) &&
               deleteMachine(library, other.text(), DeleteMode::Permanent);
    return false;
}

} // namespace
} // namespace vitrine

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    if (argc < 4)
        return 64;
    const auto library = vitrine::Library::open(QFile::decodeName(argv[2]));
    const auto name = vitrine::MachineName::fromText(QFile::decodeName(argv[3]));
    const auto other = vitrine::MachineName::fromText(QFile::decodeName(argv[argc - 1]));
    if (!library || !name || !other)
        return 64;
    for (int round = 0; vitrine::once(*library, argv[1], *name, *other, round); ++round) {
        std::putchar('.');
        std::fflush(stdout);
    }
    return 1;
}
