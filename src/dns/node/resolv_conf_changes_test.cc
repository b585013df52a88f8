#include "dns/node/resolv_conf_changes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testkit/process.h"

namespace proa::dns {
namespace {

class ResolvConfChangesTest : public ::testing::Test {
 protected:
  void write(const std::string& name) { folder_.write(name, "nameserver 192.0.2.1\n"); }
  void make_folder(const std::string& name) {
    std::filesystem::create_directory(folder_.file(name));
  }
  void link(const std::string& to) {
    std::filesystem::remove(folder_.file("etc/resolv.conf"));
    std::filesystem::create_symlink(folder_.file(to), folder_.file("etc/resolv.conf"));
  }

  testkit::TempDir folder_;
  ResolvConfChanges changes_{folder_.file("etc/resolv.conf")};
};

TEST_F(ResolvConfChangesTest, AFileIsWrittenOrReplaced) {
  make_folder("etc");
  EXPECT_TRUE(changes_.watch());
  EXPECT_FALSE(changes_.descriptors().empty());
  EXPECT_FALSE(changes_.changed());
  write("etc/resolv.conf");
  EXPECT_TRUE(changes_.changed());
  EXPECT_FALSE(changes_.changed());
  write("new");
  std::filesystem::rename(folder_.file("new"), folder_.file("etc/resolv.conf"));
  EXPECT_TRUE(changes_.changed());
  std::filesystem::remove(folder_.file("etc/resolv.conf"));
  EXPECT_TRUE(changes_.changed());
}

TEST_F(ResolvConfChangesTest, FollowsALink) {
  for (const char* name : {"etc", "one", "other"}) make_folder(name);
  link("one/resolv.conf");
  EXPECT_TRUE(changes_.watch());
  write("one/resolv.conf");
  EXPECT_TRUE(changes_.changed());
  link("other/resolv.conf");
  EXPECT_TRUE(changes_.changed());
  EXPECT_TRUE(changes_.watch());
  write("other/resolv.conf");
  EXPECT_TRUE(changes_.changed());
  write("one/resolv.conf");
  EXPECT_FALSE(changes_.changed());
  // A link to a link, and one that is relative.
  std::filesystem::create_symlink("../one/resolv.conf", folder_.file("other/link"));
  link("other/link");
  EXPECT_TRUE(changes_.changed());
  EXPECT_TRUE(changes_.watch());
  write("one/resolv.conf");
  EXPECT_TRUE(changes_.changed());
}

TEST_F(ResolvConfChangesTest, SaysThatAFolderIsMissing) {
  make_folder("etc");
  link("later/resolv.conf");
  EXPECT_FALSE(changes_.watch());
  make_folder("later");
  EXPECT_TRUE(changes_.watch());
  write("later/resolv.conf");
  EXPECT_TRUE(changes_.changed());
  EXPECT_TRUE(ResolvConfChanges("").watch());
}

}  // namespace
}  // namespace proa::dns
