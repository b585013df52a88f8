#include "crypto/identity.h"

#include <arpa/inet.h>

namespace proa::crypto {

bool is_ip_address(const std::string& name) {
  in6_addr buffer{};
  return inet_pton(AF_INET, name.c_str(), &buffer) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &buffer) == 1;
}

}  // namespace proa::crypto
