#include "apiserver/streaming/destination.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/put_object.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace destination_test {

class DestinationTest : public testing::Test {
 protected:
  void put(std::string_view resource, const std::string& json) {
    testkit::put_object(*store, schema, resource, json);
  }
  // `containers` and `addresses` as JSON.
  void put_pod(const std::string& name, const std::string& addresses,
               const std::string& containers = R"([{"name": "main"}])",
               const std::string& node = "n1") {
    put("pods", R"({"metadata": {"name": ")" + name +
                    R"(", "namespace": "ns"}, "spec": {"nodeName": ")" + node +
                    R"(", "containers": )" + containers + R"(}, "status": {"podIPs": )" +
                    addresses + "}}");
  }
  void put_node(const std::string& addresses, const std::string& port = "10250") {
    put("nodes", R"({"metadata": {"name": "n1"}, "status": {"addresses": )" + addresses +
                     R"(, "daemonEndpoints": {"kubeletEndpoint": {"Port": )" + port + "}}}}");
  }
  void put_endpoints(const std::string& name, const std::string& subsets) {
    put("endpoints", R"({"metadata": {"name": ")" + name + R"(", "namespace": "ns"}, "subsets": )" +
                         subsets + "}");
  }

  Result<std::optional<Destination>> find(std::string_view resource, std::string_view part,
                                          const std::string& name, const std::string& rest = "") {
    Request request;
    request.resource = schema.find_resource("", "v1", resource);
    request.subresource = request.resource->find_subresource(part);
    request.name = name;
    std::string path = "/api/v1/";
    if (request.resource->namespaced) {
      request.name_space = "ns";
      path += "namespaces/ns/";
    }
    path += std::string(resource) + "/" + name + "/" + std::string(part) + rest;
    return find_destination(ObjectReader(*store, schema), request, http::parse_target(path).value(),
                            random, egress);
  }
  // The URL, or the failure's code and message.
  std::string url(std::string_view resource, std::string_view part, const std::string& name,
                  const std::string& rest = "") {
    const auto found = find(resource, part, name, rest);
    if (!found) return std::to_string(found.status().code()) + " " + found.status().message();
    if (!*found) return "nothing";
    return (*found)->origin.str() + (*found)->target + ((*found)->is_kubelet ? " kubelet" : "");
  }

  const api::Schema& schema = api::builtin_schema();
  testkit::FakeClock clock;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  SeededRandom random{1};
  PodEgress egress = PodEgress::kDirect;
};

TEST_F(DestinationTest, IsElsewhereForSomeParts) {
  struct Case {
    std::string_view resource;
    std::string_view part;
    std::optional<Connection> connection;
  };
  for (const Case& c :
       {Case{"pods", "log", Connection::kLog}, Case{"pods", "exec", Connection::kStream},
        Case{"pods", "attach", Connection::kStream},
        Case{"pods", "portforward", Connection::kStream}, Case{"pods", "proxy", Connection::kProxy},
        Case{"services", "proxy", Connection::kProxy}, Case{"nodes", "proxy", Connection::kProxy},
        Case{"pods", "status", std::nullopt}, Case{"pods", "binding", std::nullopt}}) {
    Request request;
    request.resource = schema.find_resource("", "v1", c.resource);
    EXPECT_FALSE(connection_of(request));
    request.subresource = request.resource->find_subresource(c.part);
    ASSERT_NE(request.subresource, nullptr) << c.part;
    EXPECT_EQ(connection_of(request), c.connection) << c.part;
  }
}

TEST_F(DestinationTest, OfAPodIsItsFirstAddressAndPort) {
  const std::string kBare = R"([{"name": "main"}])";
  const std::string kPort = R"([{"name": "a"}, {"name": "b", "ports": [{"containerPort": 9376}]},
                                {"name": "c", "ports": [{"containerPort": 1234}]}])";
  struct Case {
    std::string addresses;
    std::string containers;
    std::string name;
    std::string url;
  };
  for (const Case& c : {
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "foo", "http://1.2.3.4/"},
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "foo:12345", "http://1.2.3.4:12345/"},
           Case{R"([{"ip": "1.2.3.4"}])", kPort, "foo", "http://1.2.3.4:9376/"},
           Case{R"([{"ip": "1.2.3.4"}])", kPort, "foo:12345", "http://1.2.3.4:12345/"},
           Case{R"([{"ip": "1.2.3.4"}])", kPort, "https:foo:", "https://1.2.3.4:9376/"},
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "https:foo:", "https://1.2.3.4/"},
           Case{R"([{"ip": "1.2.3.4"}, {"ip": "fd00::1"}])", kBare, "foo", "http://1.2.3.4/"},
           Case{R"([{"ip": "fd00::1"}, {"ip": "1.2.3.4"}])", kPort, "foo",
                "http://[fd00::1]:9376/"},
           Case{"[]", kBare, "foo", "400 address not allowed"},
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "foo:web", "400 invalid pod request \"foo:web\""},
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "ftp:foo:1",
                "400 invalid pod request \"ftp:foo:1\""},
           Case{R"([{"ip": "1.2.3.4"}])", kBare, "bar", "404 pods \"bar\" not found"},
       }) {
    put_pod("foo", c.addresses, c.containers);
    EXPECT_EQ(url("pods", "proxy", c.name), c.url) << c.addresses << " " << c.name;
  }
}

TEST_F(DestinationTest, IsNeverThisMachineNorSomethingOnItsLink) {
  for (const std::string address :
       {"127.0.0.1", "127.9.9.9", "127.0.0.01", "169.254.169.254", "0.0.0.0", "0.0.0.1",
        "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:169.254.169.254", "localhost", "metadata.example", ""}) {
    put_pod("foo", R"([{"ip": ")" + address + R"("}])");
    EXPECT_EQ(url("pods", "proxy", "foo:80"), "400 address not allowed") << address;
    put_endpoints("foo", R"([{"addresses": [{"ip": ")" + address +
                             R"(", "targetRef": {"kind": "Pod", "namespace": "ns", "name": "foo"}}],
                             "ports": [{"port": 80}]}])");
    EXPECT_EQ(url("services", "proxy", "foo"), "503 no endpoints available for service \"foo\"")
        << address;
    put_node(R"([{"type": "InternalIP", "address": ")" + address + R"("}])");
    EXPECT_FALSE(find("nodes", "proxy", "n1")) << address;
    EXPECT_FALSE(find("nodes", "proxy", "n1:80")) << address;
    for (const std::string_view part : {"log", "exec", "attach", "portforward"}) {
      EXPECT_FALSE(find("pods", part, "foo")) << address << " " << part;
    }
  }
}

TEST_F(DestinationTest, OfAServiceIsAPodOfItsEndpoints) {
  const auto pod_at = [](const std::string& address, const std::string& pod) {
    return R"([{"ip": ")" + address +
           R"(", "targetRef": {"kind": "Pod", "namespace": "ns", "name": ")" + pod + R"("}}])";
  };
  put_pod("unnamed", R"([{"ip": "1.2.3.4"}, {"ip": "1.2.3.5"}])");
  put_pod("named", R"([{"ip": "1.2.3.6"}])");
  put_endpoints("unnamed", R"([{"addresses": )" + pod_at("1.2.3.4", "unnamed") +
                               R"(, "ports": [{"port": 80}]}])");
  put_endpoints("second", R"([{"addresses": )" + pod_at("1.2.3.5", "unnamed") +
                              R"(, "ports": [{"port": 80}]}])");
  put_endpoints("named",
                R"([{"addresses": )" + pod_at("1.2.3.6", "named") +
                    R"(, "ports": [{"name": "p", "port": 80}, {"name": "q", "port": 81}]}])");
  put_endpoints("empty", "[]");
  put_endpoints("unready", R"([{"notReadyAddresses": )" + pod_at("1.2.3.4", "unnamed") +
                               R"(, "ports": [{"port": 80}]}])");
  for (const std::string name : {"unnamed", "second", "empty"}) {
    put("services", R"({"metadata": {"name": ")" + name +
                        R"(", "namespace": "ns"}, "spec": {"ports": [{"port": 93}]}})");
  }
  put("services", R"({"metadata": {"name": "named", "namespace": "ns"}, "spec": {"ports": [
      {"name": "p", "port": 93}, {"name": "q", "port": 76}]}})");
  for (const auto& [name, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"unnamed", "http://1.2.3.4/"},
           {"unnamed:", "http://1.2.3.4/"},
           {"unnamed:93", "http://1.2.3.4/"},
           {"http:unnamed:", "http://1.2.3.4/"},
           {"https:unnamed:93", "https://1.2.3.4:80/"},
           {"unnamed:80", "503 no service port 80 found for service \"unnamed\""},
           {"second", "http://1.2.3.5/"},
           {"named:p", "http://1.2.3.6/"},
           {"named:q", "http://1.2.3.6:81/"},
           {"named:93", "http://1.2.3.6/"},
           {"named:76", "http://1.2.3.6:81/"},
           {"named:bad", "503 no endpoints available for service \"named:bad\""},
           {"named", "503 no endpoints available for service \"named\""},
           {"empty:", "503 no endpoints available for service \"empty\""},
           {"unready", "503 no endpoints available for service \"unready\""},
           {"nothing", "404 endpoints \"nothing\" not found"},
           {"nothing:80", "404 services \"nothing\" not found"},
           {"a:b:c:d", "400 invalid service request \"a:b:c:d\""}}) {
    EXPECT_EQ(url("services", "proxy", name), wanted) << name;
  }
}

TEST_F(DestinationTest, OfAServiceIsNothingButAPod) {
  put_pod("mine", R"([{"ip": "1.2.3.4"}])");
  struct Case {
    std::string_view name;
    std::string address;
  };
  for (
      const Case& c : {
          Case{"names no pod", R"({"ip": "1.2.3.4"})"},
          Case{
              "another's address",
              R"({"ip": "8.8.8.8", "targetRef": {"kind": "Pod", "namespace": "ns", "name": "mine"}})"},
          Case{
              "another namespace",
              R"({"ip": "1.2.3.4", "targetRef": {"kind": "Pod", "namespace": "no", "name": "mine"}})"},
          Case{
              "no such pod",
              R"({"ip": "1.2.3.4", "targetRef": {"kind": "Pod", "namespace": "ns", "name": "his"}})"},
          Case{
              "a path",
              R"({"ip": "1.2.3.4", "targetRef": {"kind": "Pod", "namespace": "ns", "name": "../ns/mine"}})"},
      }) {
    put_endpoints("svc", R"([{"addresses": [)" + c.address + R"(], "ports": [{"port": 80}]}])");
    EXPECT_EQ(url("services", "proxy", "svc"), "503 no endpoints available for service \"svc\"")
        << c.name;
  }
  // The valid one is found, wherever the search begins.
  put_endpoints("svc", R"([{"addresses": [{"ip": "8.8.8.8"}, {"ip": "1.2.3.4", "targetRef":
      {"kind": "Pod", "namespace": "ns", "name": "mine"}}, {"ip": "9.9.9.9"}],
      "ports": [{"port": 80}]}])");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(url("services", "proxy", "svc"), "http://1.2.3.4/");
}

TEST_F(DestinationTest, OfANodeIsItsKubeletOrAPortOfIt) {
  put_node(R"([{"type": "Hostname", "address": "n1.example"},
               {"type": "ExternalIP", "address": "5.5.5.5"},
               {"type": "InternalIP", "address": "10.0.0.1"}])",
           "5000");
  EXPECT_EQ(url("nodes", "proxy", "n1"), "https://10.0.0.1:5000/ kubelet");
  EXPECT_EQ(url("nodes", "proxy", "n1:5000"), "https://10.0.0.1:5000/ kubelet");
  EXPECT_EQ(url("nodes", "proxy", "http:n1:5000"), "https://10.0.0.1:5000/ kubelet");
  EXPECT_EQ(url("nodes", "proxy", "n1:9100"), "http://10.0.0.1:9100/");
  EXPECT_EQ(url("nodes", "proxy", "https:n1:9100"), "https://10.0.0.1:9100/");
  EXPECT_EQ(url("nodes", "proxy", "n1:web"), "400 invalid node request \"n1:web\"");
  EXPECT_EQ(url("nodes", "proxy", "n2"), "404 nodes \"n2\" not found");
  put_node(R"([{"type": "InternalIP", "address": "10.0.0.1"}])", "0");
  EXPECT_EQ(url("nodes", "proxy", "n1"), "https://10.0.0.1:10250/ kubelet");
  put_node("[]");
  EXPECT_EQ(url("nodes", "proxy", "n1"), "500 no preferred addresses found; known addresses: []");
  put_node(
      R"([{"type": "Hostname", "address": "n1.example"}, {"type": "Other", "address": "1.2.3.4"}])");
  EXPECT_EQ(url("nodes", "proxy", "n1"),
            "500 no preferred addresses found; known addresses: [{Hostname n1.example} {Other "
            "1.2.3.4}]");
}

TEST_F(DestinationTest, OfAProxyHasThePathBehindItAsItWasSent) {
  put_pod("web", R"([{"ip": "1.2.3.4"}])");
  put_node(R"([{"type": "InternalIP", "address": "10.0.0.1"}])");
  const std::string prefix = "/api/v1/namespaces/ns/pods/web/proxy";
  for (const auto& [rest, target] :
       std::vector<std::pair<std::string, std::string>>{{"", "/"},
                                                        {"/", "/"},
                                                        {"?watch=true", "/?watch=true"},
                                                        {"/a/b?x=1&y=%2F", "/a/b?x=1&y=%2F"},
                                                        {"/a%2Fb//c/../d/", "/a%2Fb//c/../d/"}}) {
    const auto found = find("pods", "proxy", "web", rest);
    ASSERT_TRUE(found && *found) << rest;
    EXPECT_EQ((*found)->target, target);
    EXPECT_EQ((*found)->prefix, prefix);
  }
  EXPECT_EQ(url("nodes", "proxy", "n1", "/metrics?x"), "https://10.0.0.1:10250/metrics?x kubelet");
}

TEST_F(DestinationTest, OfAContainerIsTheKubeletOfItsNode) {
  put_node(R"([{"type": "InternalIP", "address": "10.0.0.1"}])");
  put_pod("web", "[]");
  EXPECT_EQ(url("pods", "log", "web"), "https://10.0.0.1:10250/containerLogs/ns/web/main kubelet");
  EXPECT_EQ(url("pods", "exec", "web", "?command=ls"),
            "https://10.0.0.1:10250/exec/ns/web/main?command=ls kubelet");
  EXPECT_EQ(url("pods", "portforward", "web"), "https://10.0.0.1:10250/portForward/ns/web kubelet");
  const auto insecure = find("pods", "log", "web", "?insecureSkipTLSVerifyBackend=true");
  EXPECT_FALSE((*insecure)->verified);
  EXPECT_TRUE((*find("pods", "log", "web"))->verified);

  put_pod("waiting", "[]", R"([{"name": "main"}])", "");
  EXPECT_EQ(url("pods", "log", "waiting"), "nothing");
  for (const std::string_view part : {"exec", "attach", "portforward"}) {
    EXPECT_EQ(url("pods", part, "waiting"), "400 pod waiting does not have a host assigned");
    EXPECT_EQ(url("pods", part, "none"), "404 pods \"none\" not found");
  }
  put_pod("lost", "[]", R"([{"name": "main"}])", "n9");
  for (const std::string_view part : {"log", "exec", "attach", "portforward"})
    EXPECT_EQ(url("pods", part, "lost"), "404 nodes \"n9\" not found");
}

TEST_F(DestinationTest, OfAPodLeadsThroughItsNodeWhereThereIsNoRoute) {
  put_node(R"([{"type": "InternalIP", "address": "10.0.0.1"}])");
  put_pod("web", R"([{"ip": "1.2.3.4"}])");
  put_endpoints("shop", R"([{"addresses": [{"ip": "1.2.3.4",
      "targetRef": {"kind": "Pod", "namespace": "ns", "name": "web"}}], "ports": [{"port": 81}]}])");
  egress = PodEgress::kNodes;
  for (const auto& [resource, name, port] :
       {std::tuple("pods", "web:80", "80"), {"services", "shop", "81"}}) {
    const auto found = find(resource, "proxy", name, "/index");
    ASSERT_TRUE(found && *found) << resource;
    const auto tunnel = PodTunnel::parse((*found)->origin.via);
    ASSERT_TRUE(tunnel) << resource;
    EXPECT_EQ(tunnel->kubelet.str() + tunnel->target,
              std::string("https://10.0.0.1:10250/tunnel/ns/web/") + port);
    EXPECT_FALSE(tunnel->kubelet.peer.empty());
    EXPECT_EQ((*found)->target, "/index");
  }
  put_pod("lost", R"([{"ip": "1.2.3.5"}])", R"([{"name": "main"}])", "n2");
  EXPECT_EQ(url("pods", "proxy", "lost"), "404 nodes \"n2\" not found");
}

TEST_F(DestinationTest, IsInANamespace) {
  put_pod("web", R"([{"ip": "1.2.3.4"}])");
  Request request;
  request.resource = schema.find_resource("", "v1", "pods");
  request.subresource = request.resource->find_subresource("proxy");
  request.name = "web";
  const auto found =
      find_destination(ObjectReader(*store, schema), request,
                       http::parse_target("/api/v1/pods/web/proxy").value(), random, egress);
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.status().is(Reason::kNotFound));
}

}  // namespace destination_test
}  // namespace proa::apiserver
