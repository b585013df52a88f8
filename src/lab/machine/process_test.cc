#include "lab/machine/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa::lab {
namespace {

TEST(LabProcess, IsFoundByItsRecord) {
  SystemFiles files;
  const testkit::TempDir folder;
  const std::string path = folder.file("process");
  const auto self = ProcessHandle::open(getpid());
  ASSERT_TRUE(self.ok());
  ASSERT_TRUE(write_process(files, path, *self));
  const auto found = find_process(files, path);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->pid(), getpid());
}

TEST(LabProcess, IsNotMistakenForAnotherOfTheSameId) {
  EXPECT_TRUE(find_process(getpid(), 1).is(Reason::kNotFound));
}

TEST(LabProcess, IsNotFoundWithoutAValidRecord) {
  SystemFiles files;
  const testkit::TempDir folder;
  for (const char* text : {"", "x", "1", "-1 5", "0 0", "1 2 3"}) {
    EXPECT_TRUE(find_process(files, folder.write("process", text)).is(Reason::kNotFound)) << text;
  }
  EXPECT_TRUE(find_process(files, folder.file("none")).is(Reason::kNotFound));
}

}  // namespace
}  // namespace proa::lab
