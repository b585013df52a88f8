#include "kubelet/host/machine.h"

#include <gtest/gtest.h>

#include "testkit/kubelet/test_machine.h"

namespace proa::kubelet {

TEST(ReadMachine, FindsWhatTheKernelTells) {
  TestMachine root;
  const Machine machine = read_machine(root.files, root.path());
  EXPECT_EQ(machine.cpus, 5);
  EXPECT_EQ(machine.memory_bytes, 16384000LL * 1024);
  EXPECT_EQ(machine.swap_bytes, 2048LL * 1024);
  const std::map<std::string, int64_t> huge{{"hugepages-1Gi", 0},
                                            {"hugepages-2Mi", 4LL * 2048 * 1024}};
  EXPECT_EQ(machine.huge_pages, huge);
  EXPECT_EQ(machine.machine_id, "0123456789abcdef");
  EXPECT_EQ(machine.boot_id, "boot-1");
  EXPECT_EQ(machine.kernel, "6.1.0");
  EXPECT_EQ(machine.os_image, "Some Linux 12 (bookworm)");
}

TEST(ReadMachine, NamesTheSystemByItsMachineIdWhereNothingElseDoes) {
  TestMachine root;
  EXPECT_EQ(read_machine(root.files, root.path()).system_uuid, "0123456789abcdef");
  root.write("/sys/class/dmi/id/product_uuid", "aa-bb\n");
  EXPECT_EQ(read_machine(root.files, root.path()).system_uuid, "aa-bb");
}

TEST(ReadMachine, TellsNothingOfWhatIsNotThere) {
  SystemFiles files;
  const Machine machine = read_machine(files, "/nowhere");
  EXPECT_EQ(machine.cpus, 0);
  EXPECT_EQ(machine.memory_bytes, 0);
  EXPECT_TRUE(machine.huge_pages.empty());
}

TEST(AvailableMemory, IsWhatIsFreeAndFilesThatNobodyUses) {
  TestMachine root;
  EXPECT_EQ(available_memory(root.files, root.path()).value(), 1500LL * 1024 * 1024);
  root.write("/proc/meminfo", "MemTotal: 5 kB\n");
  EXPECT_FALSE(available_memory(root.files, root.path()).ok());
}

TEST(DiskSpaceOf, CountsTheFilesystemOfAPath) {
  const Result<DiskSpace> space = disk_space("/");
  ASSERT_TRUE(space.ok());
  EXPECT_GT(space->capacity, 0);
  EXPECT_GE(space->capacity, space->available);
  EXPECT_FALSE(disk_space("/nowhere/at/all").ok());
}

}  // namespace proa::kubelet
