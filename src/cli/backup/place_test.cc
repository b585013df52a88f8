#include "cli/backup/place.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/backup/control.h"
#include "store/rocks/rocks_store.h"
#include "testkit/fake_clock.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

constexpr Time kNow = testkit::FakeClock::kStart;

class PlaceTest : public testing::Test {
 protected:
  void make_cluster(const std::string& directory, const std::string& mark) {
    for (const char* part : {"store", "tls"}) {
      std::filesystem::create_directories(folder.file(directory) + "/" + part);
    }
    folder.write(directory + "/store/mark", mark);
    folder.write(directory + "/tls/mark", mark);
    folder.write(directory + "/admin.kubeconfig", mark);
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    folder.write(name, text);
  }
  std::string read(const std::string& name) {
    const auto text = files.read_file(folder.file(name), 100);
    return text.ok() ? *text : "";
  }
  Result<std::vector<std::string>> put(WhatIsThere there) {
    return put_in_place(files, folder.file("unpacked"), folder.file("data"), there, kNow);
  }

  const testkit::TempDir folder;
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
};

TEST_F(PlaceTest, FillsAnEmptyDirectory) {
  make_cluster("unpacked", "new");
  std::filesystem::create_directories(folder.file("data"));
  const auto aside = put(WhatIsThere::kRefuse);
  ASSERT_TRUE(aside.ok()) << aside.status().message();
  EXPECT_TRUE(aside->empty());
  EXPECT_EQ(read("data/store/mark") + read("data/tls/mark") + read("data/admin.kubeconfig"),
            "newnewnew");
  EXPECT_TRUE(files.list(folder.file("unpacked"))->empty());
}

TEST_F(PlaceTest, RefusesAClusterThatIsThere) {
  make_cluster("unpacked", "new");
  make_cluster("data", "old");
  const auto aside = put(WhatIsThere::kRefuse);
  ASSERT_TRUE(aside.is(Reason::kAlreadyExists));
  EXPECT_NE(aside.status().message().find("(tls, admin.kubeconfig, store)"), std::string::npos);
  EXPECT_NE(aside.status().message().find("--force"), std::string::npos);
  // Certificates alone are worth as much.
  std::filesystem::remove_all(folder.file("data/store"));
  EXPECT_TRUE(put(WhatIsThere::kRefuse).is(Reason::kAlreadyExists));
  EXPECT_EQ(read("data/tls/mark"), "old");
}

TEST_F(PlaceTest, MovesAsideWhatIsThere) {
  make_cluster("unpacked", "new");
  make_cluster("data", "old");
  const auto aside = put(WhatIsThere::kMoveAside);
  ASSERT_TRUE(aside.ok()) << aside.status().message();
  EXPECT_EQ(aside->size(), 3u);
  EXPECT_EQ(aside->front(), folder.file("data/store.before-restore-20260102T150405Z"));
  EXPECT_EQ(read("data/store/mark"), "new");
  EXPECT_EQ(read("data/store.before-restore-20260102T150405Z/mark"), "old");
  EXPECT_EQ(read("data/admin.kubeconfig.before-restore-20260102T150405Z"), "old");
}

TEST_F(PlaceTest, TouchesVolumesOnlyIfTheBackupHasSome) {
  make_cluster("unpacked", "new");
  make_cluster("data", "old");
  write("data/storage/pvc-a/file", "old");
  ASSERT_TRUE(put(WhatIsThere::kMoveAside).ok());
  EXPECT_EQ(read("data/storage/pvc-a/file"), "old");
}

TEST_F(PlaceTest, MovesVolumesAside) {
  make_cluster("unpacked", "new");
  write("unpacked/storage/pvc-a/file", "new");
  write("data/storage/pvc-a/file", "old");
  EXPECT_TRUE(put(WhatIsThere::kRefuse).is(Reason::kAlreadyExists));
  ASSERT_TRUE(put(WhatIsThere::kMoveAside).ok());
  EXPECT_EQ(read("data/storage/pvc-a/file"), "new");
  EXPECT_EQ(read("data/storage.before-restore-20260102T150405Z/pvc-a/file"), "old");
}

TEST_F(PlaceTest, TakesEverythingBackWhenOneMoveFails) {
  make_cluster("unpacked", "new");
  make_cluster("data", "old");
  // A file cannot replace a folder.
  std::filesystem::create_directories(
      folder.file("data/admin.kubeconfig.before-restore-20260102T150405Z"));
  ASSERT_FALSE(put(WhatIsThere::kMoveAside).ok());
  EXPECT_EQ(read("data/store/mark") + read("data/tls/mark") + read("data/admin.kubeconfig"),
            "oldoldold");
  EXPECT_EQ(read("unpacked/store/mark"), "new");
}

TEST_F(PlaceTest, RefusesAStoreThatIsInUse) {
  make_cluster("unpacked", "new");
  const auto store = store::open_rocks_store(folder.file("data/store"), clock, random);
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE(put(WhatIsThere::kMoveAside).is(Reason::kConflict));
  {
    const auto control = ControlSocket::open(folder.file("data"), **store, random);
    ASSERT_TRUE(control.ok());
    const auto refused = check_destination(files, folder.file("data"), WhatIsThere::kMoveAside);
    ASSERT_TRUE(refused.is(Reason::kConflict));
    EXPECT_NE(refused.status().message().find("a server is running"), std::string::npos);
  }
  EXPECT_TRUE(check_destination(files, folder.file("data"), WhatIsThere::kMoveAside).ok());
}

}  // namespace
}  // namespace proa::cli
