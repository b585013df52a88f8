#include "cli/node/pod_ranges.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "testkit/process.h"

namespace proa::cli {
namespace {

class PodRanges : public testing::Test {
 protected:
  NodePaths node(const std::string& name) {
    NodePaths place;
    place.run_folder = folder_.file(name);
    EXPECT_TRUE(files_.make_dirs(place.run_folder, 0700).ok());
    return place;
  }
  Result<void> claim(const NodePaths& place, const std::string& cidr) {
    return claim_pod_range(files_, place, cidr, folder_.path());
  }
  // Its containerd, as far as others see it.
  static FileDescriptor listen_in(const NodePaths& place) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, (place.run_folder + "/containerd.sock").c_str(),
                 sizeof where.sun_path - 1);
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
    EXPECT_EQ(listen(socket.get(), 1), 0);
    return socket;
  }

  testkit::TempDir folder_;
  SystemFiles files_;
};

TEST_F(PodRanges, OverlapsAreRefusedWhileTheOtherRuns) {
  const NodePaths first = node("proa");
  const NodePaths second = node("proa-12345678");
  ASSERT_TRUE(claim(first, "10.244.0.0/24").ok());
  {
    const FileDescriptor runs = listen_in(first);
    const Result<void> claimed = claim(second, "10.244.0.0/16");
    ASSERT_TRUE(claimed.is(Reason::kConflict));
    EXPECT_EQ(claimed.status().message(),
              "--pod-cidr 10.244.0.0/16 overlaps with 10.244.0.0/24 of another cluster on this "
              "machine, which runs in " +
                  first.run_folder + "; choose another --pod-cidr");
    EXPECT_TRUE(claim(second, "10.244.1.0/24").ok());
    // Its own is not another one.
    EXPECT_TRUE(claim(first, "10.244.0.0/24").ok());
  }
  EXPECT_TRUE(claim(second, "10.244.0.0/24").ok());
}

}  // namespace
}  // namespace proa::cli
