#include "kubelet/runtime/logs/rotate.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/log_folder.h"

namespace proa::kubelet {
namespace {

struct Fixture {
  Result<bool> rotate(const std::string& path = "pod/main/0.log") {
    return rotation.rotate({.container_id = "c-1", .path = path}, {});
  }
  std::string names() { return join(folder.names(), " "); }

  testkit::FakeClock clock;
  TestFolder folder;
  int reopened = 0;
  bool broken = false;
  LogRotation rotation{clock,
                       folder.files,
                       [this](const std::string& id, const Until&) -> Result<void> {
                         EXPECT_EQ(id, "c-1");
                         ++reopened;
                         if (broken) return Status(Reason::kInternalError, "no");
                         folder.append("0.log", "");
                         return {};
                       },
                       folder.root,
                       {.max_bytes = 10, .max_files = 4}};
};

TEST(LogRotation, LeavesShortLogsAlone) {
  Fixture fixture;
  fixture.folder.append("0.log", "123456789");
  EXPECT_FALSE(*fixture.rotate());
  EXPECT_EQ(fixture.reopened, 0);
  EXPECT_EQ(fixture.names(), "0.log");
}

TEST(LogRotation, KeepsSoManyFilesAndCompressesOlderOnes) {
  Fixture fixture;
  const std::string text(5000, 'x');
  const auto fill_and_rotate = [&] {
    fixture.folder.append("0.log", text);
    EXPECT_TRUE(*fixture.rotate());
    fixture.clock.advance(std::chrono::seconds(1));
  };
  fill_and_rotate();
  EXPECT_EQ(fixture.names(), "0.log 0.log.20260102-150405");
  EXPECT_EQ(*fixture.folder.files.read_file(fixture.folder.path("0.log.20260102-150405"), 9999),
            text);
  fill_and_rotate();
  EXPECT_EQ(fixture.names(), "0.log 0.log.20260102-150405.gz 0.log.20260102-150406");
  const std::string compressed =
      *fixture.folder.files.read_file(fixture.folder.path("0.log.20260102-150405.gz"), 9999);
  EXPECT_LT(compressed.size(), 200u);
  EXPECT_TRUE(compressed.starts_with("\x1f\x8b"));
  fill_and_rotate();
  fill_and_rotate();
  EXPECT_EQ(fixture.names(),
            "0.log 0.log.20260102-150406.gz 0.log.20260102-150407.gz 0.log.20260102-150408");
  EXPECT_EQ(fixture.reopened, 4);
}

TEST(LogRotation, TidiesUpAfterAnInterruptedOne) {
  Fixture fixture;
  fixture.folder.append("0.log", "0123456789");
  fixture.folder.append("0.log.20250101-000000", "x");
  fixture.folder.append("0.log.20250101-000000.gz", "x");
  fixture.folder.append("0.log.20250101-000001", "x");
  fixture.folder.append("0.log.20250101-000001.tmp", "x");
  fixture.folder.append("1.log", "x");
  EXPECT_TRUE(*fixture.rotate());
  EXPECT_EQ(fixture.names(),
            "0.log 0.log.20250101-000000.gz 0.log.20250101-000001.gz 0.log.20260102-150405 1.log");
}

TEST(LogRotation, PutsTheLogBackWhenItIsNotReopened) {
  Fixture fixture;
  fixture.broken = true;
  fixture.folder.append("0.log", "0123456789");
  EXPECT_EQ(fixture.rotate().status().message(), "failed to reopen container log: no");
  EXPECT_EQ(fixture.names(), "0.log");
}

TEST(LogRotation, BeginsARemovedLogAnew) {
  Fixture fixture;
  EXPECT_FALSE(*fixture.rotate());
  EXPECT_EQ(fixture.reopened, 1);
}

TEST(LogRotation, FollowsNoLinks) {
  Fixture fixture;
  ASSERT_EQ(::symlink("/etc/passwd", fixture.folder.path("0.log").c_str()), 0);
  EXPECT_FALSE(*fixture.rotate());
  EXPECT_FALSE(fixture.rotate("../pod/main/0.log").ok());
}

}  // namespace
}  // namespace proa::kubelet
