#pragma once

#include <vector>

#include "apiserver/access/authn/chain.h"
#include "apiserver/bootstrap/batch.h"
#include "base/clock.h"

// ConfigMaps of kube-system by which the server tells others what it does.

namespace proa::apiserver {

// extension-apiserver-authentication: the authorities and headers by which aggregated API servers
// recognize clients. What other servers added stays; expired certificates do not. `clock` outlives
// the objects.
void add_authentication_config(const api::Schema& schema, const AuthenticationOptions& options,
                               const Clock& clock, std::vector<Wanted>& objects);

// kube-apiserver-legacy-service-account-token-tracking: since when the last use of legacy tokens is
// noted.
void add_token_tracking(const api::Schema& schema, Time now, std::vector<Wanted>& objects);

}  // namespace proa::apiserver
