#include "kubelet/runtime/builtin/tar.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(Tar, FilesLieInBlocksBehindTheirHeaders) {
  Tar tar;
  tar.add("a", "hello", 0644);
  tar.add("b/c", std::string(512, 'x'), 0755);
  const std::string bytes = tar.finish();
  ASSERT_EQ(bytes.size(), 512u * (2 + 2 + 2));
  EXPECT_EQ(bytes.substr(0, 2), std::string("a\0", 2));
  EXPECT_EQ(bytes.substr(257, 8), std::string("ustar\0"
                                              "00",
                                              8));
  EXPECT_EQ(bytes.substr(100, 7), "0000644");
  EXPECT_EQ(bytes.substr(124, 11), "00000000005");
  EXPECT_EQ(bytes.substr(512, 6), std::string("hello\0", 6));
  EXPECT_EQ(bytes.substr(1024, 3), "b/c");
  EXPECT_EQ(bytes.substr(1024 + 124, 11), "00000001000");
  EXPECT_EQ(bytes.substr(2048), std::string(1024, '\0'));
}

TEST(Tar, TheSumIsThatOfTheHeaderWithSpacesInItsPlace) {
  Tar tar;
  tar.add("name", "", 0600);
  std::string header = tar.finish().substr(0, 512);
  const std::string sum = header.substr(148, 6);
  header.replace(148, 8, "        ");
  unsigned expected = 0;
  for (const char byte : header) expected += static_cast<unsigned char>(byte);
  EXPECT_EQ(std::stoul(sum, nullptr, 8), expected);
}

}  // namespace
}  // namespace proa::kubelet
