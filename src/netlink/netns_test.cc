#include "netlink/netns.h"

#include <sys/stat.h>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

using NetworkNamespaceTest = testkit::NamespaceTest;

ino_t number_of(const NetworkNamespace& place) {
  struct stat facts {};
  EXPECT_EQ(::fstat(place.descriptor(), &facts), 0);
  return facts.st_ino;
}

TEST_F(NetworkNamespaceTest, RunsWorkInside) {
  const ino_t outside = number_of(NetworkNamespace::current().value());
  ino_t inner = 0;
  inside([&] { inner = number_of(NetworkNamespace::current().value()); });
  EXPECT_EQ(inner, number_of(*namespace_));
  EXPECT_NE(inner, outside);
  EXPECT_EQ(number_of(NetworkNamespace::current().value()), outside);
}

TEST_F(NetworkNamespaceTest, PassesFailuresOn) {
  const auto failed =
      namespace_->run([]() -> Result<void> { return Status(Reason::kConflict, "no"); });
  EXPECT_TRUE(failed.is(Reason::kConflict));
}

TEST(NetworkNamespace, FilesThatAreNoneAreRefused) {
  EXPECT_TRUE(NetworkNamespace::open("/nonexistent").is(Reason::kNotFound));
  const auto file = NetworkNamespace::open("/dev/null");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->run([]() -> Result<void> { return {}; }).ok());
}

}  // namespace
}  // namespace proa::netlink
