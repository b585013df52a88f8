#include "cli/node/local_status.h"

#include <gtest/gtest.h>

#include "cli/credentials/certificates.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(LocalStatus, ReadsWhatIsThere) {
  const testkit::TempDir folder;
  SystemFiles files;
  SystemClock clock;
  const NodePaths place = node_paths(folder.path());
  LocalStatus status = read_local_status(files, place);
  EXPECT_FALSE(status.process);
  EXPECT_FALSE(status.runtime);
  EXPECT_TRUE(status.certificates.empty());
  ASSERT_TRUE(status.disk);
  EXPECT_GT(status.disk->total_bytes, status.disk->free_bytes / 2);

  const std::string names[] = {"localhost"};
  ASSERT_TRUE(ensure_certificates(files, clock, folder.path() + "/tls", names).ok());
  ASSERT_TRUE(files.make_dirs(place.kubelet_root, 0700).ok());
  status = read_local_status(files, place);
  ASSERT_TRUE(status.runtime);
  EXPECT_EQ(status.runtime->socket, place.socket);
  EXPECT_FALSE(status.runtime->runs);
  ASSERT_EQ(status.certificates.size(), 3u);
  EXPECT_EQ(status.certificates[1].name, "server");
  EXPECT_GT(status.certificates[1].not_after, clock.now() + std::chrono::hours(24 * 300));
}

}  // namespace
}  // namespace proa::cli
