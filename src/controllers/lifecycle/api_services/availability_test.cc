#include "controllers/lifecycle/api_services/availability.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::controllers::api_services {
namespace {

struct Case {
  const char* name;
  std::string service = R"({"spec":{"type":"ClusterIP","ports":[{"name":"https","port":443}]}})";
  std::string slice = R"({"endpoints":[{"addresses":["10.0.0.1"]}],"ports":[)"
                      R"({"name":"https","port":8443}]})";
  std::string probe = {};  // its error
  std::string reason;
  std::string message;
};

TEST(RemoteAvailability, HasUpstreamsReasonsAndMessages) {
  const Case cases[] = {
      {.name = "good", .reason = "Passed", .message = "all checks passed"},
      {.name = "no service",
       .service = "null",
       .reason = "ServiceNotFound",
       .message = R"(service/metrics in "kube-system" is not present)"},
      {.name = "other port",
       .service = R"({"spec":{"type":"ClusterIP","ports":[{"name":"https","port":80}]}})",
       .reason = "ServicePortError",
       .message = R"(service/metrics in "kube-system" is not listening on port 443)"},
      {.name = "no slices",
       .slice = "null",
       .reason = "EndpointsNotFound",
       .message = R"(cannot find endpointslices for service/metrics in "kube-system")"},
      {.name = "none ready",
       .slice = R"({"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false}}],)"
                R"("ports":[{"name":"https","port":8443}]})",
       .reason = "MissingEndpoints",
       .message = R"(endpointslices for service/metrics in "kube-system" have no addresses )"
                  R"(with port name "https")"},
      {.name = "another port's name",
       .slice = R"({"endpoints":[{"addresses":["10.0.0.1"]}],"ports":[{"name":"a","port":1}]})",
       .reason = "MissingEndpoints",
       .message = R"(endpointslices for service/metrics in "kube-system" have no addresses )"
                  R"(with port name "https")"},
      {.name = "a name outside of the cluster",
       .service = R"({"spec":{"type":"ExternalName","externalName":"example.com"}})",
       .slice = "null",
       .reason = "Passed",
       .message = "all checks passed"},
      {.name = "silent",
       .probe = "failing or missing response",
       .reason = "FailedDiscoveryCheck",
       .message = "failing or missing response"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document service = *json::parse(c.service);
    const json::Document slice = *json::parse(c.slice);
    std::vector<api::View> slices;
    if (api::View(slice.root())) slices.emplace_back(slice.root());
    const Condition made =
        remote_availability({.name_space = "kube-system", .name = "metrics", .port = 443},
                            service.root(), slices, [&]() -> Result<void> {
                              if (c.probe.empty()) return {};
                              return Status(Reason::kServiceUnavailable, c.probe);
                            });
    EXPECT_EQ(made.reason, c.reason);
    EXPECT_EQ(made.message, c.message);
    EXPECT_EQ(made.status, c.reason == "Passed" ? "True" : "False");
  }
}

}  // namespace
}  // namespace proa::controllers::api_services
