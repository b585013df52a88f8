#pragma once

#include <vector>

#include "apiserver/authn/identity.h"
#include "apiserver/front/resource_front.h"
#include "apiserver/paths/path_handler.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// The API by HTTP: who asks, what is asked for, who answers. Every request begins here, on its
// loop's thread.
class Front final : public http::Handler {
 public:
  // Everything outlives it. `paths` are asked in their order.
  Front(const Identities& identities, ResourceFront& resources, std::vector<PathHandler*> paths)
      : identities_(identities), resources_(resources), paths_(std::move(paths)) {}

  void handle(http::ExchangePtr exchange) override;

 private:
  const Identities& identities_;
  ResourceFront& resources_;
  const std::vector<PathHandler*> paths_;
};

}  // namespace proa::apiserver
