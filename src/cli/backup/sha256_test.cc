#include "cli/backup/sha256.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

TEST(Sha256, IsTheOneOfTheStandardHoweverTheBytesCome) {
  EXPECT_EQ(Sha256().finish(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 parts;
  parts.add("a");
  parts.add("");
  parts.add("bc");
  EXPECT_EQ(parts.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace proa::cli
