#include "cli/node/network/pod_ranges.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "testkit/process.h"

namespace proa::cli {
namespace {

class PodRanges : public testing::Test {
 protected:
  std::string node(const std::string& name) {
    std::string folder = folder_.file(name);
    EXPECT_TRUE(files_.make_dirs(folder, 0700).ok());
    return folder;
  }
  Result<void> claim(const std::string& folder, std::vector<std::string_view> cidrs) {
    std::vector<IpPrefix> ranges;
    for (const std::string_view cidr : cidrs) ranges.push_back(parse_prefix(cidr).value());
    return claim_pod_ranges(files_, folder, ranges, folder_.path());
  }
  // Its containerd, as far as others see it.
  static FileDescriptor listen_in(const std::string& folder) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, (folder + "/containerd.sock").c_str(), sizeof where.sun_path - 1);
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
    EXPECT_EQ(listen(socket.get(), 1), 0);
    return socket;
  }

  testkit::TempDir folder_;
  SystemFiles files_;
};

TEST_F(PodRanges, OverlapsAreRefusedWhileTheOtherRuns) {
  const std::string first = node("proa");
  const std::string second = node("proa-12345678");
  ASSERT_TRUE(claim(first, {"10.244.0.0/24", "fd00::/64"}).ok());
  {
    const FileDescriptor runs = listen_in(first);
    const Result<void> claimed = claim(second, {"10.244.0.0/16"});
    ASSERT_TRUE(claimed.is(Reason::kConflict));
    EXPECT_EQ(claimed.status().message(),
              "the pod range 10.244.0.0/16 overlaps with 10.244.0.0/24 of another node on this "
              "machine, which runs in " +
                  first + "; choose another --pod-cidr or --cluster-cidr");
    EXPECT_TRUE(claim(second, {"10.245.0.0/24", "fd00::/60"}).is(Reason::kConflict));
    EXPECT_TRUE(claim(second, {"10.244.1.0/24"}).ok());
    // Its own is not another one.
    EXPECT_TRUE(claim(first, {"10.244.0.0/24"}).ok());
  }
  EXPECT_TRUE(claim(second, {"10.244.0.0/24"}).ok());
}

TEST_F(PodRanges, ANodeKnowsWhatItHad) {
  const std::string first = node("proa");
  EXPECT_TRUE(former_pod_ranges(files_, first).empty());
  ASSERT_TRUE(claim(first, {"10.244.0.0/24", "fd00::/64"}).ok());
  EXPECT_EQ(former_pod_ranges(files_, first),
            (std::vector<std::string>{"10.244.0.0/24", "fd00::/64"}));
}

}  // namespace
}  // namespace proa::cli
