#include "cli/backup/volumes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/backup/manifest.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

namespace fs = std::filesystem;

class BackupVolumesTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name)) << text;
  }
  std::string text(const std::string& name) {
    std::ifstream file(folder_.file(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<VolumeArchives> archive() {
    return archive_volumes(files_, clock_, folder_.path(), folder_.file("unpacked/volumes"));
  }

  const testkit::TempDir folder_;
  SystemFiles files_;
  SystemClock clock_;
};

TEST_F(BackupVolumesTest, ComeBackAsTheyWere) {
  const std::string odd = "storage/pvc-a/" + std::string(120, 'n') + "/a b'\"$\n";
  put(odd, "odd");
  put("storage/pvc-b/file", "b");
  put("storage/other", "not a volume");
  fs::create_directory(folder_.file("storage/pvc-empty"));
  fs::create_symlink("/nowhere", folder_.file("storage/pvc-b/link"));
  ASSERT_EQ(chmod(folder_.file("storage/pvc-b").c_str(), 02770), 0);
  const auto made = archive();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->volumes, 3U);
  EXPECT_TRUE(made->changed.empty());
  ASSERT_EQ(made->parts.size(), 3U);
  for (const BackupSource& part : made->parts) EXPECT_TRUE(is_backup_name(part.name)) << part.name;

  const auto extracted = extract_volumes(files_, clock_, folder_.file("unpacked"));
  ASSERT_TRUE(extracted.ok()) << extracted.status().message();
  EXPECT_EQ(*extracted, 3U);
  EXPECT_EQ(text("unpacked/" + odd), "odd");
  EXPECT_EQ(text("unpacked/storage/pvc-b/file"), "b");
  EXPECT_EQ(fs::read_symlink(folder_.file("unpacked/storage/pvc-b/link")), "/nowhere");
  EXPECT_TRUE(fs::is_directory(folder_.file("unpacked/storage/pvc-empty")));
  EXPECT_FALSE(fs::exists(folder_.file("unpacked/storage/other")));
  struct stat info {};
  ASSERT_EQ(stat(folder_.file("unpacked/storage/pvc-b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02770u);
}

TEST_F(BackupVolumesTest, AreNoneWithoutStorage) {
  const auto made = archive();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->volumes, 0U);
  EXPECT_EQ(extract_volumes(files_, clock_, folder_.file("unpacked")).value(), 0U);
  EXPECT_FALSE(fs::exists(folder_.file("unpacked/storage")));
}

TEST_F(BackupVolumesTest, DamagedArchivesAreRefused) {
  put("unpacked/volumes/pvc-a.tar.0000", std::string(2048, 'x'));
  EXPECT_FALSE(extract_volumes(files_, clock_, folder_.file("unpacked")).ok());
}

TEST(VolumeParts, HaveNamesThatStayInTheBackup) {
  EXPECT_TRUE(is_volume_part("volumes/pvc-7f3c.tar.0000"));
  for (const char* name :
       {"volumes/pvc-a", "volumes/pvc-a.tar.1", "volumes/../pvc-a.tar.0000", "volumes/x.tar.0000",
        "volumes/pvc-a/b.tar.0000", "pvc-a.tar.0000", "volumes/pvc-A.tar.0000",
        "volumes/pvc-a.tar.0000.tar.0000", "volumes/pvc-$(x).tar.0000"}) {
    EXPECT_FALSE(is_volume_part(name)) << name;
    EXPECT_FALSE(is_backup_name(name)) << name;
  }
}

}  // namespace
}  // namespace proa::cli
