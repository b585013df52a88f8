#include "cli/host/own_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proa::cli {
namespace {

TEST(OwnAddress, IsOneThatThisMachineCanListenOn) {
  const std::string address = own_address();
  sockaddr_in where{};
  where.sin_family = AF_INET;
  ASSERT_EQ(inet_pton(AF_INET, address.c_str(), &where.sin_addr), 1) << address;
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0) << address;
  close(socket);
}

}  // namespace
}  // namespace proa::cli
