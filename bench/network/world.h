#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "client/remote/remote_client.h"
#include "load/server.h"

namespace proa::network_bench {

// "10.128.0.1"
std::string address_text(uint32_t address);

// An API server without controllers, with Services and EndpointSlices that this program writes.
class World {
 public:
  // `directory`: of the server's data.
  explicit World(const std::string& directory);

  // Creates Services with two endpoints each until there are so many.
  void grow(size_t services);
  size_t services() const { return endpoints_.size(); }
  // Of all Services together.
  size_t endpoint_count() const;
  // Addresses of the first Services; their port is 80.
  static std::string service_address(size_t service);
  static constexpr int kServicePort = 80;
  static constexpr int kEndpointPort = 8080;
  // The first endpoint of a Service.
  std::string endpoint_of(size_t service) const;

  struct Change {
    size_t service = 0;
    std::vector<uint32_t> endpoints;
    uint32_t added = 0;  // the one of them that was never used before
  };
  // One of two endpoints is replaced; or, with another number of them, two become one and one
  // becomes two.
  Change plan(size_t service, bool other_number);
  // Returns when the server has acknowledged it.
  void write(const Change& change);

  // The kubeconfig for programs on nodes.
  const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  SystemFiles files_;
  SystemClock clock_;
  const load::Server server_;
  std::string kubeconfig_;
  http::LoopGroup loops_{1};
  std::unique_ptr<client::RemoteClient> client_;
  std::vector<std::vector<uint32_t>> endpoints_;  // by Service
  uint32_t next_endpoint_;
};

}  // namespace proa::network_bench
