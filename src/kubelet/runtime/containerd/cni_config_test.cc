#include "kubelet/runtime/containerd/cni_config.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kubelet {
namespace {

TEST(CniConfig, IsABridgeWithAddressesAndPorts) {
  CniSetup setup;
  setup.state = "/data/cni/networks";
  const auto parsed = json::parse(cni_config(setup));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->root().find("cniVersion")->as_string(), "1.0.0");
  const auto plugins = parsed->root().find("plugins")->items();
  ASSERT_EQ(plugins.size(), 2u);
  const json::Value& bridge = plugins[0];
  EXPECT_EQ(bridge.find("type")->as_string(), "bridge");
  EXPECT_EQ(bridge.find("bridge")->as_string(), "proa0");
  for (const char* name : {"isGateway", "hairpinMode"}) {
    EXPECT_TRUE(bridge.find(name)->as_bool()) << name;
  }
  EXPECT_EQ(bridge.find("mtu"), nullptr);
  const json::Value* ipam = bridge.find("ipam");
  EXPECT_EQ(ipam->find("dataDir")->as_string(), "/data/cni/networks");
  EXPECT_EQ(ipam->find("ranges")->items()[0].items()[0].find("subnet")->as_string(),
            "10.244.0.0/24");
  EXPECT_EQ(ipam->find("routes")->items()[0].find("dst")->as_string(), "0.0.0.0/0");
  EXPECT_TRUE(plugins[1].find("capabilities")->find("portMappings")->as_bool());
}

TEST(CniConfig, TheWayOutIsOfTheSameKindAsTheAddresses) {
  CniSetup setup;
  setup.pod_cidr = "fd00:10:244::/64";
  setup.mtu = 1400;
  const auto parsed = json::parse(cni_config(setup));
  ASSERT_TRUE(parsed.ok());
  const json::Value& bridge = parsed->root().find("plugins")->items()[0];
  EXPECT_EQ(bridge.find("ipam")->find("routes")->items()[0].find("dst")->as_string(), "::/0");
  EXPECT_EQ(bridge.find("mtu")->as_int(), 1400);
}

}  // namespace
}  // namespace proa::kubelet
