#include "http/net/server_certificates.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/files.h"
#include "testkit/patience.h"

namespace proa::http {
namespace {

using namespace std::chrono_literals;

// A port of this machine: bound, so that nobody else takes it; listening if wanted.
class Port {
 public:
  explicit Port(bool listening) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
    if (listening) {
      EXPECT_EQ(listen(socket_.get(), 1), 0);
    }
  }
  int number() const {
    sockaddr_in where{};
    socklen_t size = sizeof where;
    getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&where), &size);
    return ntohs(where.sin_port);
  }

 private:
  const FileDescriptor socket_;
};

TEST(FetchServerCertificates, SaysAtOnceThatNobodyListens) {
  const Port closed(false);
  const auto begin = std::chrono::steady_clock::now();
  const auto shown = fetch_server_certificates("127.0.0.1", closed.number(), 10min);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, testkit::patient(10s));
  ASSERT_TRUE(shown.is(Reason::kServiceUnavailable));
  EXPECT_EQ(shown.status().message(), "no TLS server answers at 127.0.0.1:" +
                                          std::to_string(closed.number()) + ": Connection refused");
}

TEST(FetchServerCertificates, DoesNotWaitForeverForASilentServer) {
  const Port silent(true);
  const auto shown = fetch_server_certificates("127.0.0.1", silent.number(), 1ms);
  ASSERT_TRUE(shown.is(Reason::kServiceUnavailable));
  EXPECT_TRUE(shown.status().message().ends_with("timed out")) << shown.status().message();
}

}  // namespace
}  // namespace proa::http
