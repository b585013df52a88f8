#include "apiserver/streaming/connect_options.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

std::string options_of(std::string_view resource, std::string_view part, const std::string& query,
                       const std::string& subpath = "") {
  Request request;
  request.resource = api::builtin_schema().find_resource("", "v1", resource);
  request.subresource = request.resource->find_subresource(part);
  request.subpath = subpath;
  return json::print(connect_options(request, http::parse_target("/x?" + query).value()).root());
}

TEST(ConnectOptions, AreThoseOfTheSubresource) {
  EXPECT_EQ(options_of("pods", "exec", "command=ls&command=-l&stdin=true&tty=false&container=c"),
            R"({"kind":"PodExecOptions","apiVersion":"v1","stdin":true,"container":"c",)"
            R"("command":["ls","-l"]})");
  EXPECT_EQ(options_of("pods", "attach", "stdout=1"),
            R"({"kind":"PodAttachOptions","apiVersion":"v1","stdout":true})");
  EXPECT_EQ(options_of("pods", "portforward", "ports=80&ports=x&ports=443"),
            R"({"kind":"PodPortForwardOptions","apiVersion":"v1","ports":[80,443]})");
  EXPECT_EQ(options_of("services", "proxy", "", "/a/b"),
            R"({"kind":"ServiceProxyOptions","apiVersion":"v1","path":"/a/b"})");
}

}  // namespace
}  // namespace proa::apiserver
