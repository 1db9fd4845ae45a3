// SPDX-License-Identifier: Apache-2.0
// vitrine-make-disk DIRECTORY [MIB OF DISK] [MIB OF DATA]
// Makes a machine directory for the pull benchmark: config.json, nvram.bin and a sparse disk.img
// whose bytes are the same at every run. The data is a quarter noise and the rest words, so that
// LZ4 makes about half of it, as of the disk of an installed system; holes lie between extents.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

class Random final { // xorshift64*
public:
    explicit Random(std::uint64_t seed)
        : m_state(seed) {}
    std::uint64_t next() {
        m_state ^= m_state >> 12;
        m_state ^= m_state << 25;
        m_state ^= m_state >> 27;
        return m_state * 0x2545F4914F6CDD1DULL;
    }

private:
    std::uint64_t m_state;
};

constexpr std::size_t pieceSize = 16 * 1024;

std::vector<std::string> makeWords(Random& random) {
    std::vector<std::string> words(4096);
    for (std::string& word : words) {
        const std::size_t length = 3 + random.next() % 10;
        for (std::size_t i = 0; i < length; ++i)
            word += static_cast<char>('a' + random.next() % 26);
        word += ' ';
    }
    return words;
}

void fill(std::vector<char>& piece, Random& random, const std::vector<std::string>& words) {
    if (random.next() % 4 == 0) {
        for (std::size_t i = 0; i < piece.size(); i += 8) {
            const std::uint64_t word = random.next();
            std::memcpy(piece.data() + i, &word, 8);
        }
        return;
    }
    std::size_t position = 0;
    while (position < piece.size()) {
        const std::uint64_t r = random.next();
        const std::string& word = words[(r % 64) * (r / 64 % 64) % words.size()]; // some often
        const std::size_t length = std::min(word.size(), piece.size() - position);
        std::memcpy(piece.data() + position, word.data(), length);
        position += length;
    }
}

bool writeAll(int fd, const char* data, std::size_t size, std::uint64_t offset) {
    while (size > 0) {
        const ssize_t n = ::pwrite(fd, data, size, static_cast<off_t>(offset));
        if (n <= 0)
            return false;
        data += n;
        offset += static_cast<std::uint64_t>(n);
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("Usage: vitrine-make-disk DIRECTORY [MIB OF DISK] [MIB OF DATA]\n", stderr);
        return 64;
    }
    const std::filesystem::path directory = argv[1];
    const std::uint64_t diskSize = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 6144) << 20;
    const std::uint64_t dataSize = (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5120) << 20;
    if (dataSize > diskSize || diskSize == 0) {
        std::fputs("There cannot be more data than disk.\n", stderr);
        return 64;
    }
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "config.json")
        << R"({"arch":"amd64","cpuCount":2,"cpuCountMin":1,"diskFormat":"raw",)"
        << R"("display":{"height":768,"width":1024},"macAddress":"6a:3e:f1:99:18:c1",)"
        << R"("memorySize":536870912,"memorySizeMin":268435456,"os":"linux","version":1})";
    std::ofstream(directory / "nvram.bin") << std::string(64 * 1024, '\1');

    const int fd = ::open((directory / "disk.img").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(diskSize)) != 0) {
        std::perror("disk.img");
        return 1;
    }
    Random random(20260512);
    const std::vector<std::string> words = makeWords(random);
    std::vector<char> piece(pieceSize);
    std::uint64_t offset = 0;
    std::uint64_t data = 0;
    std::uint64_t holes = 0;
    while (offset < diskSize) {
        // Extents of 64 KiB to 4 MiB; a hole comes when there are too few of them so far.
        const std::uint64_t extent =
            std::min<std::uint64_t>((1 + random.next() % 64) * 64 * 1024, diskSize - offset);
        const bool hole = holes * dataSize < data * (diskSize - dataSize);
        if (hole) {
            holes += extent;
            offset += extent;
            continue;
        }
        for (const std::uint64_t end = offset + extent; offset < end; offset += pieceSize) {
            fill(piece, random, words);
            if (!writeAll(
                    fd, piece.data(), std::min<std::size_t>(pieceSize, end - offset), offset)) {
                std::perror("disk.img");
                return 1;
            }
        }
        data += extent;
    }
    if (::fsync(fd) != 0 || ::close(fd) != 0) {
        std::perror("disk.img");
        return 1;
    }
    return 0;
}
