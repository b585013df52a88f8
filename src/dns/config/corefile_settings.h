#pragma once

#include <string_view>

#include "dns/config/settings.h"

namespace proa::dns {

// Reads a Corefile as CoreDNS users have it into `settings`. Read are kubernetes, forward, cache,
// hosts and rewrite, and whether there is log, loop and loadbalance; what has another place here
// (errors, health, ready, reload, prometheus) is accepted. Plugins and options that CoreDNS has and
// this does not are named in warnings; those that it does not have, either, are errors. Blocks of
// other zones than "." give who is asked for them.
void read_corefile(std::string_view text, Settings& settings, Problems& problems);

}  // namespace proa::dns
