#include "kubelet/pod/environment/hostname.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr pod_of(const std::string& name, const std::string& spec) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":")" + name +
                                      R"(","namespace":"shop","uid":"1"},"spec":{)" + spec + "}}"),
                    Pod::Source::kApi);
}

TEST(Hostname, IsMadeOfNameAndSpec) {
  const std::string sixty(60, 'a');
  const struct {
    const char* name;
    std::string pod;
    std::string spec;
    std::string expected;  // hostname|short name|domain
  } cases[] = {
      {"the name", "web", "", "web|web|"},
      {"a hostname", "web", R"("hostname":"box")", "box|box|"},
      {"a subdomain", "web", R"("subdomain":"sub")", "web|web|sub.shop.svc.cluster.local"},
      {"the full name", "web", R"("subdomain":"sub","setHostnameAsFQDN":true)",
       "web.sub.shop.svc.cluster.local|web|sub.shop.svc.cluster.local"},
      {"no domain, no full name", "web", R"("setHostnameAsFQDN":true)", "web|web|"},
      {"cut at 63, without dashes and dots at the end", sixty + "b.-c", "",
       sixty + "b|" + sixty + "b|"},
      {"overridden", "web", R"("hostname":"box","subdomain":"sub","hostnameOverride":"a.b.c")",
       "a.b.c|a.b.c|"},
      {"host network", "web", R"("hostNetwork":true,"subdomain":"sub","setHostnameAsFQDN":true)",
       "|web|sub.shop.svc.cluster.local"},
      {"not even a dot left", std::string(70, '-'), "",
       "! hostname for pod \"" + std::string(70, '-') + "\" was invalid: \"" +
           std::string(70, '-') + "\""},
      {"too long a full name", sixty, R"("subdomain":"sub","setHostnameAsFQDN":true)",
       "! failed to construct FQDN from pod hostname and cluster domain, FQDN " + sixty +
           ".sub.shop.svc.cluster.local is too long (64 characters is the max, 87 characters "
           "requested)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<PodHostname> found = hostname_for(*pod_of(c.pod, c.spec), {});
    EXPECT_EQ(found ? found->hostname + "|" + found->short_name + "|" + found->domain
                    : "! " + found.status().message(),
              c.expected);
  }
  const auto wrong = hostname_for(*pod_of("web", R"("hostname":"a.b")"), {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(
      wrong.status().message().starts_with("pod Hostname \"a.b\" is not a valid DNS label: "));
}

TEST(HostsFile, NamesThePodAndItsAliases) {
  const std::string front =
      "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n"
      "::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n"
      "fe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n";
  const PodPtr pod = pod_of("web", "");
  EXPECT_EQ(hosts_file(*pod, {"1.2.3.4", "fd00::6"}, *hostname_for(*pod, {}), ""),
            front + "1.2.3.4\tweb\nfd00::6\tweb\n");
  const PodPtr named = pod_of(
      "web", R"("subdomain":"sub","setHostnameAsFQDN":true,"hostAliases":[)"
             R"({"ip":"5.6.7.8","hostnames":["a","b"]},{"ip":"9.9.9.9","hostnames":["c"]}])");
  EXPECT_EQ(hosts_file(*named, {"1.2.3.4"}, *hostname_for(*named, {}), "unused"),
            front +
                "1.2.3.4\tweb.sub.shop.svc.cluster.local\tweb\n"
                "\n# Entries added by HostAliases.\n5.6.7.8\ta\tb\n9.9.9.9\tc\n");
}

TEST(HostsFile, OfHostNetworkIsTheNodes) {
  const PodPtr pod =
      pod_of("web", R"("hostNetwork":true,"hostAliases":[{"ip":"5.6.7.8","hostnames":["a"]}])");
  EXPECT_EQ(hosts_file(*pod, {"1.2.3.4"}, *hostname_for(*pod, {}), "127.0.0.1 localhost\n"),
            "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n"
            "\n# Entries added by HostAliases.\n5.6.7.8\ta\n");
}

}  // namespace
}  // namespace proa::kubelet
