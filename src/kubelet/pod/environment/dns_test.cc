#include "kubelet/pod/environment/dns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::kubelet {
namespace {

KubeletOptions node() {
  KubeletOptions options;
  options.addresses = {"10.0.0.1"};
  options.cluster_dns = {"10.96.0.10"};
  return options;
}

struct Answer {
  std::string text;  // servers|searches|options
  std::vector<DnsWarning> warnings = {};
};

Answer ask(const std::string& spec, const KubeletOptions& options, std::string_view file) {
  const PodPtr pod = *Pod::read(
      api::Object::make(R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1"},"spec":{)" +
                        spec + "}}"),
      Pod::Source::kApi);
  Answer answer;
  const Result<DnsConfig> config =
      dns_for(*pod, options, options.cluster_dns, file, answer.warnings);
  answer.text = config ? join(config->servers, " ") + "|" + join(config->searches, " ") + "|" +
                             join(config->options, " ")
                       : "! " + config.status().message();
  return answer;
}

constexpr std::string_view kFile =
    "# nameserver 9.9.9.9\nnameserver 1.1.1.1\nnameserver 8.8.8.8 rest\nsearch old.example\n"
    "search corp.example. . example\noptions ndots:1 rotate\noptions ndots:2\nunknown x\n";

TEST(Dns, HasTheAddressesOfTheUsersService) {
  const auto service = [](const std::string& metadata, const std::string& addresses) {
    return api::Object::make(R"({"metadata":{)" + metadata + R"(},"spec":{"clusterIPs":[)" +
                             addresses + "]}}");
  };
  const std::string name = R"("namespace":"kube-system","name":"kube-dns")";
  const auto found = [](std::vector<api::ObjectPtr> services) {
    return join(dns_service_addresses(services), " ");
  };
  EXPECT_EQ(found({}), "");
  EXPECT_EQ(found({service(R"("namespace":"kube-system","name":"metrics")", R"("10.96.0.7")"),
                   service(R"("namespace":"default","name":"kube-dns")", R"("10.96.0.8")")}),
            "");
  EXPECT_EQ(found({service(name, R"("10.96.0.10","fd00::a")")}), "10.96.0.10 fd00::a");
  EXPECT_EQ(found({service(name, R"("None")")}), "");
  // Nobody answers there for this node.
  EXPECT_EQ(
      found({service(name + R"(,"labels":{"service.kubernetes.io/service-proxy-name":"proa-dns"})",
                     R"("10.96.0.10")")}),
      "");
}

TEST(Dns, FollowsThePolicy) {
  const struct {
    const char* name;
    const char* spec;
    const char* expected;
  } cases[] = {
      {"of the cluster", R"("dnsPolicy":"ClusterFirst")",
       "10.96.0.10|shop.svc.cluster.local svc.cluster.local cluster.local corp.example example|"
       "ndots:5"},
      {"of the cluster, on the network of the node",
       R"("dnsPolicy":"ClusterFirst","hostNetwork":true)",
       "1.1.1.1 8.8.8.8|corp.example example|ndots:2 rotate"},
      {"of the cluster even so", R"("dnsPolicy":"ClusterFirstWithHostNet","hostNetwork":true)",
       "10.96.0.10|shop.svc.cluster.local svc.cluster.local cluster.local corp.example example|"
       "ndots:5"},
      {"of the node", R"("dnsPolicy":"Default")",
       "1.1.1.1 8.8.8.8|corp.example example|ndots:2 rotate"},
      {"none", R"("dnsPolicy":"None")", "||"},
      {"none but its own",
       R"("dnsPolicy":"None","dnsConfig":{"nameservers":["1.2.3.4"],"searches":["a.b"],"options":[{"name":"ndots","value":"2"},{"name":"edns0"}]})",
       "1.2.3.4|a.b|ndots:2 edns0"},
      {"merged, each once",
       R"("dnsPolicy":"Default","dnsConfig":{"nameservers":["8.8.8.8","9.9.9.9"],"searches":["example","x"],"options":[{"name":"ndots","value":"3"},{"name":"rotate"}]})",
       "1.1.1.1 8.8.8.8 9.9.9.9|corp.example example x|ndots:3 rotate"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Answer answer = ask(c.spec, node(), kFile);
    EXPECT_EQ(answer.text, c.expected);
    EXPECT_TRUE(answer.warnings.empty());
  }
}

TEST(Dns, FallsBackToTheNodeWithoutServersOfTheCluster) {
  KubeletOptions options = node();
  options.cluster_dns.clear();
  const Answer answer = ask(R"("dnsPolicy":"ClusterFirst")", options, "nameserver 1.1.1.1");
  EXPECT_EQ(answer.text, "1.1.1.1||");
  ASSERT_EQ(answer.warnings.size(), 2u);
  constexpr std::string_view kMessage =
      "kubelet does not have ClusterDNS IP configured and cannot create Pod using \"ClusterFirst\" "
      "policy. Falling back to \"Default\" policy.";
  EXPECT_EQ(answer.warnings[0].about, DnsWarning::About::kNode);
  EXPECT_EQ(answer.warnings[0].reason, "MissingClusterDNS");
  EXPECT_EQ(answer.warnings[0].message, kMessage);
  EXPECT_EQ(answer.warnings[1].about, DnsWarning::About::kPod);
  EXPECT_EQ(answer.warnings[1].message, fmt::format("pod: \"web_shop(u-1)\". {}", kMessage));
  // Pods that do not want it miss nothing.
  for (const char* policy : {"Default", "None"}) {
    EXPECT_TRUE(ask(fmt::format(R"("dnsPolicy":"{}")", policy), options, "nameserver 1.1.1.1")
                    .warnings.empty());
  }
}

TEST(Dns, NamesTheServersOfBothFamilies) {
  KubeletOptions options = node();
  options.cluster_dns = {"10.96.0.10", "fd00:0::A"};
  options.cluster_domain = "";
  EXPECT_EQ(ask(R"("dnsPolicy":"ClusterFirst")", options, "search a a").text,
            "10.96.0.10 fd00::a|a a|ndots:5");
}

TEST(Dns, OfANodeWithoutAFileAsksTheNode) {
  KubeletOptions options = node();
  options.resolv_conf.clear();
  options.addresses = {"10.0.0.1", "fd00::1"};
  EXPECT_EQ(ask(R"("dnsPolicy":"Default")", options, "").text, "127.0.0.1 ::1|.|");
  options.addresses.clear();
  EXPECT_EQ(ask(R"("dnsPolicy":"Default")", options, "").text, "127.0.0.1|.|");
}

TEST(Dns, RefusesAFileThatNamesNoServer) {
  EXPECT_EQ(ask(R"("dnsPolicy":"Default")", node(), "nameserver\n").text,
            "! Encountered error while parsing resolv conf file. Error: nameserver list is empty ");
}

TEST(Dns, LeavesOutWhatIsTooMuch) {
  const Answer servers = ask(R"("dnsPolicy":"Default")", node(),
                             "nameserver 1.1.1.1\nnameserver 2.2.2.2\nnameserver 3.3.3.3\n"
                             "nameserver 4.4.4.4\n");
  EXPECT_EQ(servers.text, "1.1.1.1 2.2.2.2 3.3.3.3||");
  ASSERT_EQ(servers.warnings.size(), 1u);
  EXPECT_EQ(servers.warnings[0].reason, "DNSConfigForming");
  EXPECT_EQ(servers.warnings[0].message,
            "Nameserver limits were exceeded, some nameservers have been omitted, the applied "
            "nameserver line is: 1.1.1.1 2.2.2.2 3.3.3.3");

  std::string many = "search";
  for (int i = 0; i < 33; ++i) many += fmt::format(" d{}", i);
  const Answer paths = ask(R"("dnsPolicy":"Default")", node(), many);
  EXPECT_TRUE(paths.text.ends_with(" d31|"));
  ASSERT_EQ(paths.warnings.size(), 1u);
  EXPECT_TRUE(paths.warnings[0].message.starts_with(
      "Search Line limits were exceeded, some search paths have been omitted, the applied search "
      "line is: d0 d1"));

  const Answer long_path =
      ask(R"("dnsPolicy":"Default")", node(), "search " + std::string(254, 'a') + " b");
  EXPECT_EQ(long_path.text, "|b|");
  EXPECT_EQ(long_path.warnings.size(), 1u);

  std::string line = "search";
  for (int i = 0; i < 9; ++i) line += " " + std::string(250, static_cast<char>('a' + i));
  const Answer cut = ask(R"("dnsPolicy":"Default")", node(), line);
  EXPECT_TRUE(cut.text.ends_with(std::string(250, 'h') + "|"));
  EXPECT_EQ(cut.warnings.size(), 1u);
}

}  // namespace
}  // namespace proa::kubelet
