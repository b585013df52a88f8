// With the kernel's own cgroups, as root.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/host/cgroups/mounts.h"
#include "kubelet/host/cgroups/removal.h"

namespace proa::kubelet {
namespace {

// A process that does nothing until it is killed.
class Sleeper {
 public:
  Sleeper() : id_(::fork()) {
    if (id_ == 0) {
      while (true) ::pause();
    }
  }
  ~Sleeper() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  std::string id() const { return std::to_string(id_); }
  bool is_dead() {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) != id_) return false;
    id_ = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t id_;
};

class KernelCgroups : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    mounts_ = find_cgroup_mounts(*files_.read_file("/proc/self/mountinfo", 16 << 20));
    if (mounts_.mounts.empty()) GTEST_SKIP() << "no cgroups are mounted here";
  }
  void TearDown() override {
    for (const CgroupMount& mount : mounts_.mounts) {
      const auto hierarchy = mounted_hierarchy(files_, mount.path);
      EXPECT_TRUE(remove_cgroup(*hierarchy, root_).ok());
    }
  }

  SystemFiles files_;
  CgroupMounts mounts_;
  const std::string root_ = fmt::format("proa-test-{}", ::getpid());
};

TEST_F(KernelCgroups, HoldPodsAndGo) {
  auto cgroups = open_cgroups(files_, {.cgroup_root = "/" + root_});
  if (cgroups.is(Reason::kServiceUnavailable)) GTEST_SKIP() << cgroups.status().message();
  ASSERT_TRUE(cgroups.ok());
  const auto set_up = (*cgroups)->set_up(int64_t{1} << 30, 2000);
  ASSERT_TRUE(set_up.ok()) << set_up.status().message();
  const PodPtr pod = *Pod::read(
      api::Object::make(
          R"({"metadata":{"name":"a","uid":"11-22"},"spec":{"containers":[)"
          R"({"resources":{"requests":{"cpu":"250m"},"limits":{"cpu":"1","memory":"64Mi"}}}]}})"),
      Pod::Source::kApi);
  const auto path = (*cgroups)->ensure(*pod);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, fmt::format("/{}/kubepods/burstable/pod11-22", root_));
  EXPECT_TRUE((*cgroups)->balance([&pod] { return std::vector<PodPtr>{pod}; }).ok());
  EXPECT_EQ(*(*cgroups)->pods(), std::vector{api::Uid("11-22")});

  // A container whose process nobody ended.
  Sleeper sleeper;
  const std::string container = path->substr(1) + "/container";
  for (const CgroupMount& mount : mounts_.mounts) {
    const auto hierarchy = mounted_hierarchy(files_, mount.path);
    ASSERT_TRUE(hierarchy->make(container).ok());
    const bool is_cpuset = mount.controllers == std::vector<std::string>{"cpuset"};
    if (!is_cpuset) {
      ASSERT_TRUE(hierarchy->write(container, "cgroup.procs", sleeper.id()).ok());
    }
  }
  const auto removed = (*cgroups)->remove(api::UidView("11-22"));
  EXPECT_TRUE(removed.ok()) << removed.status().message();
  EXPECT_TRUE(sleeper.is_dead());
  EXPECT_TRUE((*cgroups)->pods()->empty());
  EXPECT_TRUE((*cgroups)->remove_all().ok());
}

TEST_F(KernelCgroups, HaveTheValuesInTheirFiles) {
  if (mounts_.is_v2) GTEST_SKIP() << "of version 1";
  const auto cgroups = open_cgroups(files_, {.cgroup_root = "/" + root_});
  if (!cgroups) GTEST_SKIP() << cgroups.status().message();
  ASSERT_TRUE((*cgroups)->set_up(int64_t{1} << 30, 2000).ok());
  for (const CgroupMount& mount : mounts_.mounts) {
    const auto hierarchy = mounted_hierarchy(files_, mount.path);
    const auto read = [&](const char* file) { return *hierarchy->read(root_ + "/kubepods", file); };
    if (mount.controllers.empty()) continue;
    const std::string& controller = mount.controllers.front();
    if (controller == "cpu") {
      EXPECT_EQ(read("cpu.shares"), "2048\n");
    } else if (controller == "memory") {
      EXPECT_EQ(read("memory.limit_in_bytes"), "1073741824\n");
    }
  }
}

// Version 2 has a file that kills, also where it stands beside version 1.
TEST_F(KernelCgroups, OfVersionTwoKillAtOnce) {
  const auto mount = std::find_if(mounts_.mounts.begin(), mounts_.mounts.end(),
                                  [](const CgroupMount& m) { return m.controllers.empty(); });
  if (mount == mounts_.mounts.end()) GTEST_SKIP() << "no hierarchy of version 2";
  const auto hierarchy = mounted_hierarchy(files_, mount->path);
  ASSERT_TRUE(hierarchy->make(root_).ok());
  ASSERT_TRUE(hierarchy->make(root_ + "/inner").ok());
  Sleeper sleeper;
  ASSERT_TRUE(hierarchy->write(root_ + "/inner", "cgroup.procs", sleeper.id()).ok());
  EXPECT_TRUE(hierarchy->remove(root_ + "/inner").is(Reason::kConflict));
  EXPECT_TRUE(remove_cgroup(*hierarchy, root_).ok());
  EXPECT_TRUE(sleeper.is_dead());
  EXPECT_FALSE(*files_.exists(mount->path + "/" + root_));
}

}  // namespace
}  // namespace proa::kubelet
