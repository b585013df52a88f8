#include "http/net/resolve.h"

#include <gtest/gtest.h>

#include "testkit/http/inbox.h"

namespace proa::http {
namespace resolve_test {

// The result as text.
std::string look_up(const std::string& host) {
  testkit::Inbox<std::string> inbox;
  Loop loop;
  loop.run_and_wait([&] {
    resolve(loop, host, 80, [&](const Result<std::vector<Endpoint>>& found) {
      EXPECT_TRUE(loop.in_loop());
      inbox.put(found.ok() ? found->front().str() : found.status().message());
    });
    EXPECT_TRUE(inbox.empty());  // never from inside the call
  });
  return inbox.take().value_or("nothing");
}

TEST(Resolve, GivesAddressesAsTheyAre) {
  EXPECT_EQ(look_up("127.0.0.1"), "127.0.0.1:80");
  EXPECT_EQ(look_up("::1"), "[::1]:80");
}

TEST(Resolve, FindsLocalhost) {
  const std::string found = look_up("localhost");
  EXPECT_TRUE(found == "127.0.0.1:80" || found == "[::1]:80") << found;
}

TEST(Resolve, SaysWhichNameItDidNotFind) {
  const std::string found = look_up("no-such-host.invalid");
  EXPECT_TRUE(found.starts_with("looking up no-such-host.invalid: ")) << found;
}

}  // namespace resolve_test
}  // namespace proa::http
