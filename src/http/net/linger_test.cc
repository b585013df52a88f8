#include "http/net/linger.h"

#include <gtest/gtest.h>

#include "http/server/listener.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"

namespace proa::http {
namespace linger_test {

TEST(Linger, LetsTheLastBytesArriveWhileThePeerStillSends) {
  testkit::Inbox<int> accepted;
  Loop loop;
  Listener listener(loop,
                    [&](int descriptor, const std::string&, bool) { accepted.put(descriptor); });
  const auto endpoint = listener.listen({"127.0.0.1", 0, {}});
  ASSERT_TRUE(endpoint.ok());
  testkit::RawClient client(endpoint->port);
  const auto descriptor = accepted.take();
  ASSERT_TRUE(descriptor);
  listener.stop();
  ASSERT_TRUE(client.send(std::string(100'000, 'x')));
  loop.run_and_wait([&] {
    auto socket = Socket::adopt(loop, *descriptor, false, nullptr);
    socket->write(Bytes::of_static("last words"));
    linger(std::move(socket));
  });
  ASSERT_TRUE(client.send(std::string(100'000, 'x')));
  EXPECT_EQ(client.receive_all(), "last words");
}

}  // namespace linger_test
}  // namespace proa::http
