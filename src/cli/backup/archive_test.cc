#include "cli/backup/archive.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "testkit/fake_clock.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

constexpr Time kTime = testkit::FakeClock::kStart;

struct File {
  std::string name;
  std::string content;

  bool operator==(const File&) const = default;
};

FileDescriptor holding(std::string_view bytes) {
  FileDescriptor file(memfd_create("archive", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string archive_of(const std::vector<File>& files) {
  const FileDescriptor file(memfd_create("archive", MFD_CLOEXEC));
  ArchiveWriter writer(file.get(), "it", kTime);
  for (const File& each : files) {
    EXPECT_TRUE(writer.begin({.name = each.name, .size = each.content.size()}).ok());
    // Written in two parts.
    const size_t half = each.content.size() / 2;
    EXPECT_TRUE(writer.write(std::string_view(each.content).substr(0, half)).ok());
    EXPECT_TRUE(writer.write(std::string_view(each.content).substr(half)).ok());
  }
  EXPECT_TRUE(writer.finish().ok());
  std::string bytes(writer.bytes(), '\0');
  EXPECT_EQ(pread(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

Result<std::vector<File>> read_all(std::string_view bytes) {
  const FileDescriptor file = holding(bytes);
  ArchiveReader reader(file.get(), "it");
  std::vector<File> files;
  std::string buffer(100, '\0');
  while (true) {
    const auto member = TRY(reader.next());
    if (!member) return files;
    files.push_back({member->name, ""});
    while (true) {
      const std::string_view part = TRY(reader.read(buffer));
      if (part.empty()) break;
      files.back().content += part;
    }
    EXPECT_EQ(files.back().content.size(), member->size);
  }
}

const std::vector<File> kFiles = {
    {"manifest.json", "{}"},
    {"tls/empty", ""},
    {"tls/authority.crt", std::string(511, 'a')},
    {"store/db/000012.sst", std::string(512, '\0')},
    {"store/db/000013.sst", std::string(513, 'b')},
    {"store/" + std::string(93, 'n'), std::string(70'000, 'c')},
};

TEST(Archive, GivesBackWhatWasPutIn) {
  const auto read = read_all(archive_of(kFiles));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, kFiles);
  EXPECT_EQ(read_all(archive_of({}))->size(), 0u);
}

TEST(Archive, IsReadByTar) {
  const testkit::TempDir folder;
  const std::string path = folder.write("it.tar", archive_of({{"tls/a.crt", "text"}}));
  FILE* pipe = popen(("TZ=UTC tar -tvf " + path + " 2>&1").c_str(), "r");
  char line[200] = "";
  EXPECT_NE(fgets(line, sizeof line, pipe), nullptr);
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_STREQ(line, "-rw------- 0/0               4 2026-01-02 15:04 tls/a.crt\n");
}

TEST(Archive, RefusesWhatDoesNotFitIntoAHeader) {
  const FileDescriptor file(memfd_create("archive", MFD_CLOEXEC));
  ArchiveWriter writer(file.get(), "it", kTime);
  EXPECT_FALSE(writer.begin({.name = std::string(100, 'n')}).ok());
  EXPECT_FALSE(writer.begin({.name = ""}).ok());
  EXPECT_FALSE(writer.begin({.name = "large", .size = uint64_t{1} << 33}).ok());
  EXPECT_EQ(writer.bytes(), 0u);
}

// One file's archive, with bytes of its header replaced and the checksum made right again.
std::string tampered(size_t offset, std::string_view bytes, bool mend_checksum = true) {
  std::string archive = archive_of({{"tls/key", "secret"}});
  archive.replace(offset, bytes.size(), bytes);
  if (!mend_checksum) return archive;
  archive.replace(148, 8, "        ");
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(archive[i]);
  char digits[8];
  snprintf(digits, sizeof digits, "%06o", sum);
  return archive.replace(148, 7, std::string(digits, 7));
}

TEST(Archive, RefusesHostileHeaders) {
  struct Case {
    const char* name;
    std::string archive;
    const char* says;
  };
  const auto type = [](const char* flag) { return tampered(156, flag); };
  using namespace std::string_view_literals;
  for (const Case& c : {
           Case{"a hard link", type("1"), "not a regular file"},
           Case{"a symbolic link", type("2"), "not a regular file"},
           Case{"a device", type("3"), "not a regular file"},
           Case{"a folder", type("5"), "not a regular file"},
           Case{"a pipe", type("6"), "not a regular file"},
           Case{"a long name of GNU", type("L"), "not a regular file"},
           Case{"headers of pax", type("x"), "not a regular file"},
           Case{"a link's destination", tampered(157, "/etc/passwd"), "not a regular file"},
           Case{"a prefix", tampered(345, "/etc"), "not a regular file"},
           Case{"another format", tampered(257, "zstar"), "not an archive"},
           Case{"a size that is no number", tampered(124, "0000000000z"), "damaged header"},
           Case{"a binary size", tampered(124, "\x80\0\0\0\0\0\0\x7f\xff\xff\xff\xff"sv),
                "damaged header"},
           Case{"no size", tampered(124, std::string(12, '\0')), "damaged header"},
           Case{"a size beyond all files", tampered(124, "777777777777"), "damaged header"},
           Case{"a wrong checksum", tampered(0, "x", false), "checksum"},
           Case{"a size beyond the end", tampered(124, "77777777777"), "truncated"},
           Case{"nothing", "", "truncated"},
           Case{"zeros, but few", std::string(512, '\0'), "truncated"},
           Case{"no archive at all", std::string(4096, 'x'), "not an archive"},
       }) {
    SCOPED_TRACE(c.name);
    const auto read = read_all(c.archive);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.status().message().find(c.says), std::string::npos) << read.status().message();
  }
}

TEST(Archive, NoticesThatItsEndIsMissing) {
  const std::string whole = archive_of({{"tls/key", "secret"}, {"store/STORE", "label"}});
  for (size_t size = 0; size < whole.size(); size += 64) {
    SCOPED_TRACE(size);
    const auto read = read_all(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.status().message().find("truncated"), std::string::npos);
  }
  std::string behind = whole;
  behind[whole.size() - 1] = 'x';
  EXPECT_FALSE(read_all(behind).ok());
}

}  // namespace
}  // namespace proa::cli
