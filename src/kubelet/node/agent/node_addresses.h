#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// The addresses of this machine by which others reach it, for who was told none: the first IPv4
// address of the interface that packets for anywhere leave by, or else of any that is up and no
// loopback. kNotFound when there is none.
Result<std::vector<std::string>> find_addresses(Files& files, const std::string& root);

// The interface of the default route in the text of /proc/net/route; empty when there is none.
std::string default_interface(std::string_view routes);

}  // namespace proa::kubelet
