#include "apiserver/access/admission/cluster/deny_external_ips.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

struct Case {
  const char* name;
  const char* old;  // null: create
  const char* now;
  bool refused = false;
};

std::string service(const char* addresses) {
  return "{metadata: {name: web}, spec: {externalIPs: [" + std::string(addresses) + "]}}";
}

TEST(DenyExternalIps, AllowsOnlyWhatTheServiceHad) {
  const Case cases[] = {
      {"made without", nullptr, ""},
      {"made with one", nullptr, "1.1.1.1", true},
      {"the same", "1.1.1.1, 2.2.2.2", "1.1.1.1, 2.2.2.2"},
      {"in another order", "2.2.2.2, 1.1.1.1", "1.1.1.1, 2.2.2.2"},
      {"one changed", "1.1.1.1, 3.3.3.3", "1.1.1.1, 2.2.2.2", true},
      {"one added", "1.1.1.1", "1.1.1.1, 2.2.2.2", true},
      {"all removed", "1.1.1.1, 2.2.2.2", ""},
      {"the last removed", "1.1.1.1, 2.2.2.2", "1.1.1.1"},
      {"the first removed", "1.1.1.1, 2.2.2.2", "2.2.2.2"},
  };
  PluginWorld world;
  const auto plugin = make_deny_external_ips(world.context()).value();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginCase change(c.old == nullptr ? Operation::kCreate : Operation::kUpdate, "", "services");
    change.object(service(c.now));
    if (c.old != nullptr) change.old(service(c.old));
    EXPECT_EQ(words(change.validate(*plugin)),
              c.refused ? "services \"web\" is forbidden: Use of external IPs is denied by "
                          "admission control"
                        : "");
  }
}

TEST(DenyExternalIps, StatusIsNotLookedAt) {
  PluginWorld world;
  const auto plugin = make_deny_external_ips(world.context()).value();
  PluginCase change(Operation::kUpdate, "", "services", "status");
  EXPECT_EQ(words(change.old(service("")).object(service("1.1.1.1")).validate(*plugin)), "");
}

}  // namespace
}  // namespace proa::apiserver
