#pragma once

#include <span>
#include <string>
#include <vector>

#include "apiserver/front/http/in_flight.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/command_line/command.h"
#include "cli/host/routes.h"

namespace proa::cli {

// Whether a server runs alone or with the local node in its process.
enum class ServerRole : uint8_t { kServer, kCluster };

// Where a server listens, and what it calls itself.
struct ServerOptions {
  std::string data_dir = {};
  std::string address = {};
  int port = 0;
  std::string advertised = {};               // the address for pods and other machines
  std::vector<std::string> more_names = {};  // of the certificate: --tls-san
  std::string service_cidr = {};
  std::string node_port_range = {};
  std::vector<std::string> service_addresses = {};  // of Service kubernetes, one per family
  Duration drain_timeout{};
  apiserver::InFlightLimits in_flight = {};
  bool fairness = true;
  size_t max_object_bytes = 0;
  bool new_authority = false;
};

std::vector<Flag> server_option_flags();

// Touches nothing. Errors name the flag.
Result<ServerOptions> read_server_options(const Settings& settings, ServerRole role);

// What to warn about before the start: Services would take the place of networks that this machine
// reaches, or of pods (`cluster_cidr`, as in the flag). Lines; empty: nothing.
std::string service_range_warning(const ServerOptions& options, std::span<const Route> routes,
                                  std::string_view cluster_cidr);

// "0.0.0.0", "::" or nothing.
bool is_unspecified_address(const std::string& address);

// The DNS names and IP addresses of the server's certificate.
std::vector<std::string> certificate_names(const ServerOptions& options);

}  // namespace proa::cli
