#include "cli/backup/unpack.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cli/backup/pack.h"
#include "crypto/digest.h"
#include "store/rocks/directory.h"
#include "store/rocks/rocks_store.h"
#include "testkit/fake_clock.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

class Silent final : public Terminal {
 public:
  void out(std::string_view) override {}
  void error(std::string_view) override {}
};

struct File {
  std::string name;
  std::string content;
};

BackupFile described(const File& file) {
  crypto::Sha256 sum;
  sum.add(file.content);
  return {file.name, file.content.size(), sum.finish().hex()};
}

class UnpackTest : public testing::Test {
 protected:
  // Everything that lies in the folder that the tests may write to, but the backup's own.
  std::vector<std::string> strangers() {
    std::vector<std::string> names = *files.list(folder.path());
    std::erase_if(names, [](const std::string& name) { return name == "unpacked"; });
    return names;
  }

  FileDescriptor archive(const Manifest& manifest, const std::vector<File>& members) {
    FileDescriptor file(memfd_create("backup", MFD_CLOEXEC));
    ArchiveWriter writer(file.get(), "it", testkit::FakeClock::kStart);
    std::vector<File> all = members;
    all.insert(all.begin(), {std::string(kManifestName), print_manifest(manifest)});
    for (const File& each : all) {
      EXPECT_TRUE(writer.begin({.name = each.name, .size = each.content.size()}).ok());
      EXPECT_TRUE(writer.write(each.content).ok());
    }
    EXPECT_TRUE(writer.finish().ok());
    lseek(file.get(), 0, SEEK_SET);
    return file;
  }

  Result<Manifest> unpack(const FileDescriptor& file) {
    std::filesystem::remove_all(unpacked);
    Progress progress(terminal, clock);
    return unpack_backup(file.get(), "it", files, unpacked, progress);
  }

  const testkit::TempDir folder;
  const std::string unpacked = folder.file("unpacked");
  testkit::FakeClock clock;
  SystemFiles files;
  SystemRandom random;
  Silent terminal;
};

const File kLabel{"store/STORE", "Proa store"};
const File kKey{"tls/authority.key", "secret"};

Manifest naming(const std::vector<File>& listed) {
  Manifest manifest{.version = "0.1.0", .revision = 7, .time = "2026-01-02T15:04:05Z"};
  for (const File& file : listed) manifest.files.push_back(described(file));
  return manifest;
}

TEST_F(UnpackTest, RefusesBackupsThatAreNotWhatTheySay) {
  struct Case {
    const char* name;
    std::vector<File> listed;
    std::vector<File> members;
    const char* says;
  };
  const File evil{"../evil", "x"};
  for (const Case& c : {
           Case{"another content", {kLabel, kKey}, {kLabel, {kKey.name, "sceret"}}, "checksum"},
           Case{"another size", {kLabel, kKey}, {kLabel, {kKey.name, "sec"}}, "does not contain"},
           Case{"another order", {kLabel, kKey}, {kKey, kLabel}, "does not contain"},
           Case{"a file less", {kLabel, kKey}, {kLabel}, "does not contain"},
           Case{"a file more", {kLabel}, {kLabel, kKey}, "manifest does not list"},
           Case{"a file twice", {kLabel}, {kLabel, kLabel}, "manifest does not list"},
           Case{"a file that leads out", {kLabel}, {kLabel, evil}, "manifest does not list"},
           Case{"one in the place of another", {kLabel, kKey}, {kLabel, evil}, "does not contain"},
           Case{"a listed file that leads out", {kLabel, evil}, {kLabel, evil}, "not a file of"},
           Case{"an absolute name",
                {kLabel, {"/tmp/evil", "x"}},
                {kLabel, {"/tmp/evil", "x"}},
                "not a file of"},
           Case{"a folder of its own", {kLabel, {"etc/x", "x"}}, {kLabel}, "not a file of"},
           Case{"a second manifest", {kLabel, {"manifest.json", "x"}}, {kLabel}, "not a file of"},
           Case{"a store that is none", {kLabel, kKey}, {kLabel, kKey}, "STORE is damaged"},
       }) {
    SCOPED_TRACE(c.name);
    const auto manifest = unpack(archive(naming(c.listed), c.members));
    ASSERT_FALSE(manifest.ok());
    EXPECT_NE(manifest.status().message().find(c.says), std::string::npos)
        << manifest.status().message();
    EXPECT_EQ(strangers(), std::vector<std::string>{});
  }
}

TEST_F(UnpackTest, RefusesAFileThatIsAFolderToo) {
  const std::vector<File> both = {kLabel, {"tls/a", "x"}, {"tls/a/b", "y"}};
  EXPECT_FALSE(unpack(archive(naming(both), both)).ok());
}

TEST_F(UnpackTest, RefusesAnArchiveWithoutManifest) {
  const FileDescriptor file(memfd_create("backup", MFD_CLOEXEC));
  ArchiveWriter writer(file.get(), "it", testkit::FakeClock::kStart);
  ASSERT_TRUE(writer.begin({.name = kKey.name, .size = kKey.content.size()}).ok());
  ASSERT_TRUE(writer.write(kKey.content).ok());
  ASSERT_TRUE(writer.finish().ok());
  lseek(file.get(), 0, SEEK_SET);
  const auto manifest = unpack(file);
  ASSERT_FALSE(manifest.ok());
  EXPECT_NE(manifest.status().message().find("does not begin with"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(unpacked));
}

TEST_F(UnpackTest, RefusesAManifestThatWouldFillTheMemory) {
  const FileDescriptor file(memfd_create("backup", MFD_CLOEXEC));
  ArchiveWriter writer(file.get(), "it", testkit::FakeClock::kStart);
  ASSERT_TRUE(writer.begin({.name = std::string(kManifestName), .size = uint64_t{7} << 30}).ok());
  lseek(file.get(), 0, SEEK_SET);
  const auto manifest = unpack(file);
  ASSERT_FALSE(manifest.ok());
  EXPECT_NE(manifest.status().message().find("too large"), std::string::npos);
}

// A data directory with a store of one key, as a server leaves it.
class RoundTripTest : public UnpackTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(data + "/tls");
    write("tls/authority.crt", "certificate");
    write("tls/authority.key", "key");
    write("admin.kubeconfig", "kubeconfig");
    auto opened = store::open_rocks_store(data + "/store", clock, random);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store = std::move(*opened);
    put("/a", "1");
    ASSERT_TRUE(store->checkpoint(data + "/checkpoint").ok());
  }

  void write(const std::string& name, const std::string& content) {
    folder.write("data/" + name, content);
  }
  void put(const std::string& key, const std::string& value) {
    const auto done = store->commit({.operations = {store::Put{.key = key, .value = value}}},
                                    store::Durability::kSynced);
    ASSERT_TRUE(done.ok() && done->succeeded);
  }

  Result<void> pack(int file) {
    Progress progress(terminal, clock);
    const auto sources = TRY(find_sources(data, data + "/checkpoint"));
    Manifest manifest{.version = "0.1.0", .revision = 2, .time = "2026-01-02T15:04:05Z"};
    manifest.files = TRY(describe_sources(sources, progress));
    ArchiveWriter writer(file, "it", testkit::FakeClock::kStart);
    return write_backup(manifest, sources, writer, progress);
  }
  FileDescriptor packed() {
    FileDescriptor file(memfd_create("backup", MFD_CLOEXEC));
    const auto done = pack(file.get());
    EXPECT_TRUE(done.ok()) << done.status().message();
    lseek(file.get(), 0, SEEK_SET);
    return file;
  }

  const std::string data = folder.file("data");
  std::unique_ptr<store::Store> store;
};

TEST_F(RoundTripTest, GivesBackTheClusterAsItWas) {
  const FileDescriptor backup = packed();
  put("/b", "later");
  const store::Revision before = store->revision();
  const auto manifest = unpack(backup);
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  EXPECT_EQ(manifest->revision, 2);
  EXPECT_EQ(*files.read_file(unpacked + "/tls/authority.key", 100), "key");
  EXPECT_EQ(*files.read_file(unpacked + "/admin.kubeconfig", 100), "kubeconfig");
  struct stat info {};
  ASSERT_EQ(::stat((unpacked + "/tls/authority.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto restored = store::open_rocks_store(unpacked + "/store", clock, random);
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_EQ((*(*restored)->get("/a"))->value(), "1");
  EXPECT_EQ(*(*restored)->get("/b"), nullptr);
  EXPECT_GT((*restored)->revision().value, before.value + 900'000'000);
}

TEST_F(RoundTripTest, NoticesEveryCut) {
  const FileDescriptor backup = packed();
  const off_t size = lseek(backup.get(), 0, SEEK_END);
  for (off_t end = size - 1; end > 0; end -= std::max<off_t>(size / 7, 1)) {
    SCOPED_TRACE(end);
    ASSERT_EQ(ftruncate(backup.get(), end), 0);
    lseek(backup.get(), 0, SEEK_SET);
    EXPECT_FALSE(unpack(backup).ok());
  }
}

TEST_F(RoundTripTest, NoticesEveryChange) {
  const FileDescriptor backup = packed();
  const off_t size = lseek(backup.get(), 0, SEEK_END);
  // Version and time in the manifest, and padding, are not protected by checksums; they are skipped
  // by beginning after the manifest and taking non-zero bytes.
  int changed = 0;
  for (off_t at = size / 3; at < size; at += size / 30) {
    char byte = 0;
    ASSERT_EQ(pread(backup.get(), &byte, 1, at), 1);
    if (byte == 0) continue;
    const char other = static_cast<char>(byte ^ 1);
    ASSERT_EQ(pwrite(backup.get(), &other, 1, at), 1);
    lseek(backup.get(), 0, SEEK_SET);
    EXPECT_FALSE(unpack(backup).ok()) << at;
    ASSERT_EQ(pwrite(backup.get(), &byte, 1, at), 1);
    ++changed;
  }
  EXPECT_GT(changed, 5);
}

TEST_F(RoundTripTest, RefusesAStoreThatIsNoCopy) {
  // Its revisions would go on where the original's do, and mean something else.
  auto label = store::parse_label(*files.read_file(data + "/checkpoint/STORE", 4096));
  ASSERT_TRUE(label.ok());
  label->state = store::DirectoryLabel::State::kOpen;
  ASSERT_TRUE(store::StoreDirectory::label(data + "/checkpoint", *label).ok());
  const auto manifest = unpack(packed());
  ASSERT_FALSE(manifest.ok());
  EXPECT_NE(manifest.status().message().find("not a valid checkpoint"), std::string::npos);
}

TEST_F(RoundTripTest, PacksWhatLinksLeadToAndRefusesWhatIsNoFile) {
  write("elsewhere.crt", "from elsewhere");
  std::filesystem::create_symlink(data + "/elsewhere.crt", data + "/tls/server.crt");
  ASSERT_TRUE(unpack(packed()).ok());
  EXPECT_EQ(*files.read_file(unpacked + "/tls/server.crt", 100), "from elsewhere");
  ASSERT_EQ(mkfifo((data + "/tls/pipe").c_str(), 0600), 0);
  const FileDescriptor file(memfd_create("backup", MFD_CLOEXEC));
  const auto refused = pack(file.get());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("tls/pipe"), std::string::npos);
}

}  // namespace
}  // namespace proa::cli
