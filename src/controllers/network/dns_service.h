#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Marks the Service kube-dns as ours: nodes answer at its addresses themselves, so no proxy routes
// them. One without it is the user's, and is left alone.
inline constexpr std::string_view kDnsProxyName = "proa-dns";

// Keeps the Service kube-dns, its EndpointSlices and Endpoints, by which tools find the cluster's
// DNS: its addresses are the tenth of each Service range, its endpoints the nodes that are ready.
// Without DNS of ours (options.dns) the Service is deleted. There is one key.
std::unique_ptr<Controller> make_dns_service_controller(const ControllerContext& context);

// The tenth address of each range: "10.96.0.0/16,fd00::/108" gives 10.96.0.10 and fd00::a. Ranges
// that are too small have none.
std::vector<std::string> dns_addresses(std::string_view service_cidr);

}  // namespace proa::controllers
