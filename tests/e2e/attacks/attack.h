#pragma once

#include <string>

#include "http/wire/message.h"

namespace proa::e2e {

// One way to take the service away from others. Its connections end with it.
class Attack {
 public:
  Attack() = default;
  virtual ~Attack() = default;
  Attack(const Attack&) = delete;
  Attack& operator=(const Attack&) = delete;

  // Called again and again, on one thread; returns within a few seconds.
  virtual void step() = 0;
};

// Attackers are users, too; some only have an address.
inline constexpr const char* kHostileToken = "hostile";
inline const http::Headers kHostile{{"authorization", "Bearer hostile"},
                                    {"content-type", "application/json"}};

inline std::string large_map(const std::string& name, size_t size, char fill) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"("},"data":{"text":")" + std::string(size, fill) + "\"}}";
}

}  // namespace proa::e2e
