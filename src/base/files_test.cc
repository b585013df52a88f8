#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace proa {
namespace files_test {

using testing::ElementsAre;
using testing::HasSubstr;

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    std::string name = testing::TempDir() + "proa-files-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~FilesTest() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return root_ + "/" + name; }

  std::string root_;
  SystemFiles files_;
};

TEST_F(FilesTest, WritesReplaceTheWholeFile) {
  ASSERT_TRUE(files_.write_file_atomic(path("a"), "a long first content", 0600).ok());
  ASSERT_TRUE(files_.write_file_atomic(path("a"), "second", 0640).ok());
  EXPECT_EQ(*files_.read_file(path("a"), 100), "second");
  struct stat info {};
  ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
  EXPECT_THAT(*files_.list(root_), ElementsAre("a"));
}

TEST_F(FilesTest, AFailedWriteLeavesNothingBehind) {
  ASSERT_TRUE(files_.make_dirs(path("taken"), 0755).ok());
  EXPECT_FALSE(files_.write_file_atomic(path("taken"), "x", 0600).ok());
  EXPECT_TRUE(files_.write_file_atomic(path("no/such/place"), "x", 0600).is(Reason::kNotFound));
  EXPECT_THAT(*files_.list(root_), ElementsAre("taken"));
}

TEST_F(FilesTest, ReadsUpToItsLimit) {
  const std::string content(200'000, 'x');
  ASSERT_TRUE(files_.write_file_atomic(path("a"), content, 0600).ok());
  EXPECT_EQ(*files_.read_file(path("a"), content.size()), content);
  EXPECT_TRUE(files_.read_file(path("a"), content.size() - 1).is(Reason::kRequestEntityTooLarge));
  EXPECT_TRUE(files_.read_file("/dev/zero", 1000).is(Reason::kRequestEntityTooLarge));
  const auto missing = files_.read_file(path("b"), 10);
  ASSERT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_THAT(missing.status().message(), HasSubstr(path("b")));
}

TEST_F(FilesTest, MakesDirectoriesAllTheWay) {
  EXPECT_TRUE(files_.make_dirs(path("x/y/z"), 0755).ok());
  EXPECT_TRUE(files_.make_dirs(path("x/y/z"), 0755).ok());
  EXPECT_TRUE(files_.make_dirs(path("x/y/"), 0755).ok());
  ASSERT_TRUE(files_.write_file_atomic(path("file"), "", 0600).ok());
  EXPECT_THAT(files_.make_dirs(path("file/z"), 0755).status().message(),
              HasSubstr("Not a directory"));
}

TEST_F(FilesTest, RemovesFilesAndEmptyDirectories) {
  ASSERT_TRUE(files_.make_dirs(path("d"), 0755).ok());
  ASSERT_TRUE(files_.write_file_atomic(path("d/f"), "", 0600).ok());
  EXPECT_FALSE(files_.remove(path("d")).ok());
  EXPECT_TRUE(files_.remove(path("d/f")).ok());
  EXPECT_TRUE(files_.remove(path("d")).ok());
  EXPECT_TRUE(files_.remove(path("d")).is(Reason::kNotFound));
  EXPECT_FALSE(*files_.exists(path("d")));
  EXPECT_TRUE(*files_.exists(root_));
}

TEST_F(FilesTest, PathsFromOutsideStayBeneathTheRoot) {
  ASSERT_TRUE(files_.make_dirs(path("root/sub"), 0755).ok());
  ASSERT_TRUE(files_.write_file_atomic(path("secret"), "s", 0600).ok());
  ASSERT_TRUE(files_.write_file_atomic(path("root/sub/open"), "o", 0600).ok());
  ASSERT_EQ(::symlink("../secret", path("root/link").c_str()), 0);
  ASSERT_EQ(::symlink("sub", path("root/inner").c_str()), 0);

  EXPECT_TRUE(files_.open_beneath(path("root"), "sub/open", O_RDONLY, 0).ok());
  EXPECT_TRUE(files_.open_beneath(path("root"), "sub/../sub/open", O_RDONLY, 0).ok());
  EXPECT_TRUE(files_.open_beneath(path("root"), "sub/new", O_WRONLY | O_CREAT, 0600).ok());
  for (const std::string& bad :
       {std::string("../secret"), std::string("sub/../../secret"), path("secret"),
        std::string("link"), std::string("inner/open"), std::string("sub/open\0x", 10)}) {
    SCOPED_TRACE(bad);
    EXPECT_FALSE(files_.open_beneath(path("root"), bad, O_RDONLY, 0).ok());
  }
  EXPECT_TRUE(files_.open_beneath(path("root"), "nothing", O_RDONLY, 0).is(Reason::kNotFound));
}

TEST_F(FilesTest, DescriptorsAreClosedOnce) {
  auto opened = files_.open_beneath(root_, ".", O_RDONLY | O_DIRECTORY, 0);
  ASSERT_TRUE(opened.ok());
  const int number = opened->get();
  {
    FileDescriptor first = std::move(*opened);
    FileDescriptor second;
    second = std::move(first);
    EXPECT_FALSE(first.valid());  // NOLINT: moved from on purpose
    EXPECT_EQ(second.get(), number);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace files_test
}  // namespace proa
