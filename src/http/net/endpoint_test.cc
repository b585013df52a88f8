#include "http/net/endpoint.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace endpoint_test {

TEST(Endpoint, IsWrittenAsUsual) {
  EXPECT_EQ((Endpoint{"127.0.0.1", 80, {}}).str(), "127.0.0.1:80");
  EXPECT_EQ((Endpoint{"::1", 80, {}}).str(), "[::1]:80");
  EXPECT_EQ((Endpoint{{}, 0, "/run/x"}).str(), "unix:/run/x");
}

TEST(Endpoint, GoesToTheKernelsFormAndBack) {
  for (const std::string address : {"127.0.0.1", "::1", "2001:db8::5"}) {
    SCOPED_TRACE(address);
    const auto made = to_socket_address({address, 8080, {}});
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->port(), 8080);
    EXPECT_EQ(address_text(made->raw()), address);
  }
  const auto mapped = to_socket_address({"::ffff:10.0.0.5", 8080, {}});
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(address_text(mapped->raw()), "10.0.0.5");
  const auto path = to_socket_address({{}, 0, "/run/x"});
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->port(), 0);
  EXPECT_EQ(address_text(path->raw()), "");
}

TEST(Endpoint, RefusesWhatTheKernelCanNotTake) {
  EXPECT_FALSE(to_socket_address({"nonsense", 1, {}}).ok());
  EXPECT_FALSE(to_socket_address({{}, 0, "/" + std::string(200, 'x')}).ok());
}

}  // namespace endpoint_test
}  // namespace proa::http
