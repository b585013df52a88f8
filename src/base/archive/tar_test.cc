#include "base/archive/tar.h"

#include <gtest/gtest.h>

namespace proa {
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

TEST(TarHeader, IsReadBack) {
  const std::string header = make_tar_header({.name = "a/b", .size = 513, .mode = 0640}).value();
  const std::span<const char, kTarBlock> block(header.data(), kTarBlock);
  const auto member = parse_tar_header(block);
  ASSERT_TRUE(member.ok()) << member.status().message();
  EXPECT_EQ(member->name, "a/b");
  EXPECT_EQ(member->size, 513U);
  EXPECT_EQ(member->mode, 0640U);
  EXPECT_EQ(tar_padding(member->size), 511U);
  EXPECT_TRUE(make_tar_header({.name = std::string(100, 'x')}).is(Reason::kInvalid));
  for (size_t i = 0; i < kTarBlock; ++i) {
    std::string broken = header;
    broken[i] = static_cast<char>(broken[i] ^ 1);
    const std::span<const char, kTarBlock> bad(broken.data(), kTarBlock);
    const bool is_padding_of_sum = i == 155;  // the space behind the checksum
    EXPECT_EQ(parse_tar_header(bad).ok(), is_padding_of_sum) << i;
  }
}

}  // namespace
}  // namespace proa
