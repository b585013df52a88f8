#include "kubelet/runtime/containerd/network_namespaces.h"

#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "testkit/process.h"

namespace proa::kubelet {
namespace {

// As `ip link add type bridge`, which every node has, in the namespace of this thread.
bool add_link() {
  struct {
    nlmsghdr head;
    ifinfomsg link;
    rtattr info;
    rtattr kind;
    char name[8];
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_NEWLINK;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
  request.info = {.rta_len = sizeof(rtattr) * 2 + sizeof request.name, .rta_type = IFLA_LINKINFO};
  request.kind = {.rta_len = sizeof(rtattr) + 7, .rta_type = IFLA_INFO_KIND};
  std::strcpy(request.name, "bridge");
  const FileDescriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (send(socket.get(), &request, sizeof request, 0) < 0) return false;
  struct {
    nlmsghdr head;
    nlmsgerr error;
    char more[256];
  } answer{};
  return recv(socket.get(), &answer, sizeof answer, 0) > 0 && answer.error.error == 0;
}

class NetworkNamespacesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "not root";
    if (!make("probe", false)) GTEST_SKIP() << "no network namespaces here";
    umount2(folder_.file("probe").c_str(), MNT_DETACH);
    ASSERT_TRUE(files_.remove(folder_.file("probe")).ok());
  }
  void TearDown() override {
    const std::vector<std::string> names = files_.list(folder_.path()).value();
    for (const std::string& name : names) {
      umount2(folder_.file(name).c_str(), MNT_DETACH);
    }
  }

  // As a containerd keeps one.
  bool make(const std::string& name, bool with_link) {
    const std::string path = folder_.write(name, "");
    bool made = false;
    std::jthread([&] {
      if (unshare(CLONE_NEWNET) != 0) return;
      const std::string own = "/proc/self/task/" + std::to_string(gettid()) + "/ns/net";
      made = mount(own.c_str(), path.c_str(), "none", MS_BIND, "") == 0;
      if (made && with_link) made = add_link();
    }).join();
    return made;
  }

  SystemFiles files_;
  const testkit::TempDir folder_;
};

TEST_F(NetworkNamespacesTest, GoesWhenNoPodUsedIt) {
  ASSERT_TRUE(make("unused", false));
  folder_.write("unmounted", "");
  if (!make("used", true)) GTEST_SKIP() << "no bridges here";
  const auto removed = remove_unused_namespaces(files_, folder_.path());
  ASSERT_TRUE(removed.ok()) << removed.status().message();
  EXPECT_EQ(*removed, 2u);
  EXPECT_EQ(files_.list(folder_.path()).value(), std::vector<std::string>{"used"});
}

TEST_F(NetworkNamespacesTest, NeedsNoFolder) {
  EXPECT_EQ(remove_unused_namespaces(files_, folder_.file("none")).value(), 0u);
}

}  // namespace
}  // namespace proa::kubelet
