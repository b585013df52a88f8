#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace proa::cli {

// Adds the clusters, users and contexts of one kubeconfig to another one, which may be empty, and
// makes its current context the current one. Entries of the same name are replaced; everything else
// is kept. kBadRequest if `existing` is not a kubeconfig.
Result<json::Document> merge_kubeconfigs(std::string_view existing, std::string_view added);

// The same kubeconfig, with another server in all of its clusters.
Result<json::Document> with_server(std::string_view kubeconfig, std::string_view server);

}  // namespace proa::cli
