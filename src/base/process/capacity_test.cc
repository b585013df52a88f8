#include "base/process/capacity.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "testkit/process.h"

namespace proa {
namespace capacity_test {

TEST(RaiseDescriptorLimit, ReachesTheHardLimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 64);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(process_capacity().descriptors, low.rlim_cur);
  raise_descriptor_limit();
  EXPECT_EQ(process_capacity().descriptors, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(ProcessCapacity, KnowsTheMachine) {
  const size_t memory = process_capacity().memory;
  EXPECT_GT(memory, size_t{64} << 20);
  EXPECT_LT(memory, size_t{1} << 50);
}

TEST(CgroupMemoryLimit, IsTheLeastOfACgroupAndItsParents) {
  struct Case {
    const char* name;
    const char* cgroups;  // /proc/self/cgroup
    std::vector<std::pair<std::string, std::string>> files;
    size_t expected;
  };
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  const std::vector<Case> cases = {
      {"version 2", "0::/a/b\n", {{"/sys/fs/cgroup/a/b/memory.max", "1000\n"}}, 1000},
      {"parent",
       "0::/a/b\n",
       {{"/sys/fs/cgroup/a/b/memory.max", "max\n"}, {"/sys/fs/cgroup/a/memory.max", "2000\n"}},
       2000},
      {"namespace", "0::/\n", {{"/sys/fs/cgroup/memory.max", "3000\n"}}, 3000},
      {"version 1",
       "5:cpu:/c\n4:memory:/m\n0::/\n",
       {{"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4000\n"}},
       4000},
      {"none", "0::/a\n", {}, kNone},
      {"garbage", "garbage\n:\n1:memory:x\n", {{"/sys/fs/cgroup/memory.max", "text"}}, kNone},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const testkit::TempDir root;
    const auto write = [&](const std::string& path, const std::string& text) {
      const std::filesystem::path file = root.path() + path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << text;
    };
    write("/proc/self/cgroup", c.cgroups);
    for (const auto& [path, text] : c.files) write(path, text);
    EXPECT_EQ(cgroup_memory_limit(root.path()), c.expected);
  }
}

}  // namespace capacity_test
}  // namespace proa
