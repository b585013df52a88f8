#include "lab/network/door.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace proa::lab {
namespace {

FileDescriptor connect_to(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  return socket;
}

std::string read_all(int socket) {
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(socket, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

// A process that passes connections on to a port of this test.
class DoorTest : public testing::Test {
 protected:
  void SetUp() override {
    auto target = open_door(0);  // a listening socket like any other
    auto door = open_door(0);
    ASSERT_TRUE(target.ok() && door.ok());
    target_ = std::move(*target);
    door_ = std::move(*door);
    process_ = fork();
    if (process_ == 0) {
      target_ = {.listener = {}, .port = target_.port};
      serve_door(door_, {.address = *parse_ip(address_), .port = target_.port, .link = link_});
      _exit(0);
    }
  }
  void TearDown() override {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  FileDescriptor accept_one() const {
    int accepted = -1;
    while (accepted < 0) {
      accepted = accept4(target_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
    }
    return FileDescriptor(accepted);
  }

  std::string address_ = "127.0.0.1";
  std::string link_ = "lo";
  Door target_;
  Door door_;
  pid_t process_ = -1;
};

TEST_F(DoorTest, PassesBothDirectionsOnAndTheirEnds) {
  const FileDescriptor near = connect_to(door_.port);
  const FileDescriptor far = accept_one();
  // More than is held at once.
  const std::string question(1 << 20, 'q');
  std::jthread asking([&] {
    for (size_t sent = 0; sent < question.size();) {
      const ssize_t count = write(near.get(), question.data() + sent, question.size() - sent);
      if (count <= 0) return;
      sent += static_cast<size_t>(count);
    }
    shutdown(near.get(), SHUT_WR);
  });
  EXPECT_EQ(read_all(far.get()), question);
  EXPECT_EQ(write(far.get(), "answer", 6), 6);
  shutdown(far.get(), SHUT_WR);
  EXPECT_EQ(read_all(near.get()), "answer");
}

TEST_F(DoorTest, ClosesConnectionsThatNobodyTakes) {
  shutdown(target_.listener.get(), SHUT_RDWR);
  target_.listener = {};
  const FileDescriptor near = connect_to(door_.port);
  EXPECT_EQ(read_all(near.get()), "");
}

// Nobody answers for its address, so that an attempt would take a minute or more.
class DoorWithoutLinkTest : public DoorTest {
 protected:
  void SetUp() override {
    address_ = "192.0.2.1";
    link_ = "proa-missing";
    DoorTest::SetUp();
  }
};

TEST_F(DoorWithoutLinkTest, ClosesConnectionsAtOnce) {
  const FileDescriptor near = connect_to(door_.port);
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  setsockopt(near.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char byte = 0;
  EXPECT_EQ(read(near.get(), &byte, 1), 0);
}

TEST_F(DoorTest, ServesSeveralAtOnce) {
  const FileDescriptor one = connect_to(door_.port);
  const FileDescriptor one_far = accept_one();
  const FileDescriptor two = connect_to(door_.port);
  const FileDescriptor two_far = accept_one();
  EXPECT_EQ(write(two.get(), "2", 1), 1);
  EXPECT_EQ(write(one.get(), "1", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(one_far.get(), &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(read(two_far.get(), &byte, 1), 1);
  EXPECT_EQ(byte, '2');
}

TEST(OpenDoor, TakesThePortThatItHad) {
  int port = 0;
  {
    const auto first = open_door(0);
    ASSERT_TRUE(first.ok());
    port = first->port;
    EXPECT_FALSE(open_door(port).ok());
  }
  const auto again = open_door(port);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->port, port);
}

}  // namespace
}  // namespace proa::lab
