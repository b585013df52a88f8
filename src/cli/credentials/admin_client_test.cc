#include "cli/credentials/admin_client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "api/schema/builtin.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(AdminClient, StopEndsCallsToAServerThatDoesNotAnswer) {
  const FileDescriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  ASSERT_EQ(bind(silent.get(), address, size), 0);
  ASSERT_EQ(listen(silent.get(), 1), 0);
  ASSERT_EQ(getsockname(silent.get(), address, &size), 0);
  const testkit::TempDir folder;
  const std::string kubeconfig = folder.write(
      "kubeconfig",
      R"({"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c",)"
      R"("context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{"token":"t"}}],)"
      R"("clusters":[{"name":"c","cluster":{"insecure-skip-tls-verify":true,"server":)"
      R"("https://127.0.0.1:)" +
          std::to_string(ntohs(where.sin_port)) + R"("}}]})");
  const auto opened = AdminClient::open_kubeconfig(kubeconfig, std::chrono::seconds(30));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const SystemClock clock;
  const Steady begin = clock.steady();
  const std::jthread stopper([&] { (*opened)->stop(); });
  const auto node =
      (*opened)->client().get({.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
                               .name_space = {},
                               .name = "n",
                               .subresource = {}});
  EXPECT_FALSE(node.ok());
  EXPECT_LT(clock.steady() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace proa::cli
