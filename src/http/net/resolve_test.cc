#include "http/net/resolve.h"

#include <gtest/gtest.h>

#include <optional>

#include "testkit/http/inbox.h"

namespace proa::http {
namespace resolve_test {

std::optional<Result<std::vector<Endpoint>>> look_up(const std::string& host) {
  Loop loop;
  testkit::Inbox<Result<std::vector<Endpoint>>> inbox;
  loop.run_and_wait([&] {
    resolve(loop, host, 80, [&](Result<std::vector<Endpoint>> found) {
      EXPECT_TRUE(loop.in_loop());
      inbox.put(std::move(found));
    });
    EXPECT_TRUE(inbox.empty());  // never from inside the call
  });
  return inbox.take();
}

TEST(Resolve, GivesAddressesAsTheyAre) {
  for (const auto* address : {"127.0.0.1", "::1"}) {
    const auto found = look_up(address);
    ASSERT_TRUE(found && found->ok());
    ASSERT_EQ((*found)->size(), 1U);
    EXPECT_EQ((*found)->front().address, address);
    EXPECT_EQ((*found)->front().port, 80);
  }
}

TEST(Resolve, FindsLocalhost) {
  const auto found = look_up("localhost");
  ASSERT_TRUE(found && found->ok());
  EXPECT_TRUE((*found)->front().address == "127.0.0.1" || (*found)->front().address == "::1");
}

TEST(Resolve, SaysWhichNameItDidNotFind) {
  const auto found = look_up("no-such-host.invalid");
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->ok());
  EXPECT_TRUE(found->status().message().starts_with("looking up no-such-host.invalid: "))
      << found->status().message();
}

}  // namespace resolve_test
}  // namespace proa::http
