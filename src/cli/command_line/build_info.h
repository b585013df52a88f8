#pragma once

#include <string_view>

namespace proa::cli {

// Build information. The values are in a generated file, so that a new commit recompiles only that.
struct BuildInfo {
  std::string_view version;      // Proa's own: "0.1.0"
  std::string_view kubernetes;   // version of the API: "1.36.4"
  std::string_view git_version;  // in Kubernetes' format: "v1.36.4+proa-0.1.0"
  std::string_view commit;       // "unknown" outside of a repository
  std::string_view commit_date;  // RFC 3339; empty when unknown
  std::string_view tree_state;   // "clean", "dirty" or empty
  std::string_view compiler;     // "g++ 12.2.0"
  std::string_view platform;     // "linux/amd64"
};

const BuildInfo& build_info();

}  // namespace proa::cli
