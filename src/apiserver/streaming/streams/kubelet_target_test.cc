#include "apiserver/streaming/streams/kubelet_target.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace kubelet_target_test {

constexpr std::string_view kPod = R"({
  "metadata": {"name": "test", "namespace": "ns"},
  "spec": {"containers": [{"name": "main"}]}})";

// The kubelet request, or the failure's message.
std::string ask(std::string_view part, std::string_view query, std::string_view pod = kPod) {
  Request request;
  request.resource = api::builtin_schema().find_resource("", "v1", "pods");
  request.subresource = request.resource->find_subresource(part);
  request.name_space = "ns";
  request.name = "test";
  const http::Target target = http::parse_target("/x?" + std::string(query)).value();
  const json::Document document = json::parse(pod).value();
  const Result<KubeletTarget> found = kubelet_target(request, target, document.root());
  if (!found) return std::to_string(found.status().code()) + " " + found.status().message();
  return found->text + (found->verified ? "" : " unverified");
}

TEST(ChooseContainer, TakesTheOnlyOneOrAsks) {
  struct Case {
    std::string_view name;
    std::string_view spec;
    std::string_view wanted;
    std::string_view found;
  };
  constexpr std::string_view kMany = R"({"containers": [{"name": "c1"}, {"name": "c2"}],
      "initContainers": [{"name": "i"}], "ephemeralContainers": [{"name": "debugger"}]})";
  for (const Case& c : {
           Case{"one", R"({"containers": [{"name": "c1"}]})", "", "c1"},
           Case{"one beside others", R"({"containers": [{"name": "c1"}],
                "initContainers": [{"name": "i"}]})",
                "", "c1"},
           Case{"none", "{}", "", "a container name must be specified for pod test"},
           Case{"two", R"({"containers": [{"name": "c1"}, {"name": "c2"}]})", "",
                "a container name must be specified for pod test, choose one of: [c1 c2]"},
           Case{"all kinds", kMany, "",
                "a container name must be specified for pod test, choose one of: [i c1 c2 "
                "debugger]"},
           Case{"by name", kMany, "c2", "c2"},
           Case{"an init container", kMany, "i", "i"},
           Case{"an ephemeral one", kMany, "debugger", "debugger"},
           Case{"unknown", kMany, "unknown", "container unknown is not valid for pod test"},
           Case{"a path", kMany, "../other/c1", "container ../other/c1 is not valid for pod test"},
       }) {
    SCOPED_TRACE(c.name);
    const json::Document pod =
        json::parse(R"({"metadata": {"name": "test"}, "spec": )" + std::string(c.spec) + "}")
            .value();
    const Result<std::string> found = choose_container(pod.root(), c.wanted);
    EXPECT_EQ(found ? *found : found.status().message(), c.found);
    if (!found) {
      EXPECT_TRUE(found.status().is(Reason::kBadRequest));
    }
  }
}

TEST(KubeletTarget, SaysWhatIsWantedOfALog) {
  EXPECT_EQ(ask("log", ""), "/containerLogs/ns/test/main");
  EXPECT_EQ(ask("log", "container=main&follow=true&previous=1&timestamps"),
            "/containerLogs/ns/test/main?follow=true&previous=true&timestamps=true");
  EXPECT_EQ(ask("log", "follow=false&previous=0&timestamps=False"), "/containerLogs/ns/test/main");
  EXPECT_EQ(ask("log", "sinceSeconds=5&tailLines=0&limitBytes=10&unknown=x"),
            "/containerLogs/ns/test/main?sinceSeconds=5&tailLines=0&limitBytes=10");
  EXPECT_EQ(ask("log", "sinceTime=2026-01-02T03:04:05%2B02:00"),
            "/containerLogs/ns/test/main?sinceTime=2026-01-02T01%3A04%3A05Z");
  EXPECT_EQ(ask("log", "insecureSkipTLSVerifyBackend=true"),
            "/containerLogs/ns/test/main unverified");
}

TEST(KubeletTarget, RefusesWhatNoLogCanBe) {
  EXPECT_EQ(ask("log", "tailLines=-1"),
            "422 PodLogOptions \"test\" is invalid: tailLines: Invalid value: -1: must be greater "
            "than or equal to 0");
  EXPECT_EQ(ask("log", "limitBytes=0&sinceSeconds=0"),
            "422 PodLogOptions \"test\" is invalid: [limitBytes: Invalid value: 0: must be greater "
            "than 0, sinceSeconds: Invalid value: 0: must be greater than 0]");
  EXPECT_NE(ask("log", "sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z")
                .find("at most one of `sinceTime` or `sinceSeconds` may be specified"),
            std::string::npos);
  EXPECT_NE(ask("log", "stream=Stdout").find("stream: Forbidden: may not be specified"),
            std::string::npos);
  EXPECT_EQ(ask("log", "tailLines=many"), "400 strconv.ParseInt: parsing \"many\": invalid syntax");
  EXPECT_TRUE(ask("log", "sinceTime=yesterday").starts_with("400 "));
}

TEST(KubeletTarget, NamesStreamsAsTheKubeletDoes) {
  EXPECT_EQ(
      ask("exec", "command=sh&command=-c&command=echo+%26+%22x%22&stdout=true&stderr=1"),
      "/exec/ns/test/main?output=1&error=1&command=sh&command=-c&command=echo%20%26%20%22x%22");
  EXPECT_EQ(ask("exec", "command=sh&stdin=true&stdout=true&tty=true&stderr=false"),
            "/exec/ns/test/main?input=1&output=1&tty=1&command=sh");
  // Upstream's types document it as enabled by default, but its server omits it.
  EXPECT_EQ(ask("exec", "command=ls"), "/exec/ns/test/main?command=ls");
  EXPECT_EQ(ask("attach", "stdin=1&stdout=1&command=no"), "/attach/ns/test/main?input=1&output=1");
  EXPECT_EQ(ask("exec", "container=other"), "400 container other is not valid for pod test");
}

TEST(KubeletTarget, ForwardsToPorts) {
  EXPECT_EQ(ask("portforward", ""), "/portForward/ns/test");
  EXPECT_EQ(ask("portforward", "ports=80"), "/portForward/ns/test?port=80");
  EXPECT_EQ(ask("portforward", "ports=80,81&ports=82"), "/portForward/ns/test?port=80%2C81%2C82");
  EXPECT_EQ(ask("portforward", "ports=http"),
            "400 cannot convert to []int32: strconv.ParseUint: parsing \"http\": invalid syntax");
  EXPECT_EQ(ask("portforward", "ports=65536"),
            "400 cannot convert to []int32: strconv.ParseUint: parsing \"65536\": value out of "
            "range");
}

}  // namespace kubelet_target_test
}  // namespace proa::apiserver
