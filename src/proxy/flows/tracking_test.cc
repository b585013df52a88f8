#include "proxy/flows/tracking.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "proxy/settings.h"

namespace proa::proxy {
namespace {

TEST(WantedTracking, HasRoomByTheNumberOfProcessors) {
  EXPECT_EQ(wanted_tracking(1).most, 131072);
  EXPECT_EQ(wanted_tracking(1).buckets, 32768);
  EXPECT_EQ(wanted_tracking(8).most, 262144);
  EXPECT_EQ(wanted_tracking(256).most, 1048576);
}

TEST(PrepareTracking, SetsTheTimesOfANetworkNamespace) {
  const std::string folder = "/proc/sys/net/netfilter/nf_conntrack_";
  std::string skipped;
  std::thread apart([&] {
    if (::unshare(CLONE_NEWNET) != 0) {
      skipped = "needs the right to make network namespaces";
      return;
    }
    if (!read_setting(folder + "tcp_timeout_close_wait")) {
      skipped = "this kernel tracks no connections";
      return;
    }
    ASSERT_TRUE(write_setting(folder + "tcp_timeout_close_wait", 60));
    const auto most = read_setting(folder + "max");
    prepare_tracking(wanted_tracking(1000));
    EXPECT_EQ(read_setting(folder + "tcp_timeout_close_wait"), 3600);
    EXPECT_EQ(read_setting(folder + "tcp_timeout_established"), 86400);
    // Not of this namespace.
    EXPECT_EQ(read_setting(folder + "max"), most);
  });
  apart.join();
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace proa::proxy
