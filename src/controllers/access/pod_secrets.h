#pragma once

#include <set>
#include <string>

#include "api/object/view.h"

namespace proa::controllers {

// Adds the names of all Secrets that a pod uses: image pull secrets, environment, volumes.
void add_secrets_of_pod(api::View pod, std::set<std::string, std::less<>>& names);

}  // namespace proa::controllers
