#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// The address of this machine, if none is configured: the first IPv4 address of the default route's
// interface, else of any interface that is up and no loopback. kNotFound if there is none.
// `before`: what was found the last time; it stays while the machine has it, and while there is
// none at the default route: the address of a bridge for pods does not replace it.
Result<std::vector<std::string>> find_addresses(Files& files, const std::string& root,
                                                const std::vector<std::string>& before = {});

// The interface of the default route in the text of /proc/net/route; empty if there is none.
std::string default_interface(std::string_view routes);

}  // namespace proa::kubelet
