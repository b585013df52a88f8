#pragma once

#include "netlink/message.h"
#include "netlink/route/types.h"

// Requests of rtnetlink, appended to a batch. "put" makes what is missing and replaces what is
// there; "add" fails with kAlreadyExists.

namespace proa::netlink {

// A link is made down, unless `link.up`. Uses name, kind ("bridge", "dummy", "vxlan"), mtu, mac,
// master, vxlan.
void add_link(Batch& batch, const Link& link);
// A pair; the other end in the namespace `peer_namespace` (a descriptor), or in this one if -1. The
// other end is made down: the kernel refuses to have it up before there is a pair.
void add_veth(Batch& batch, const Link& link, const Link& peer, int peer_namespace = -1);
// Changes of a link that exists.
void set_link_up(Batch& batch, int index, bool up);
void set_link_mtu(Batch& batch, int index, uint32_t mtu);
// 0: belongs to no bridge any more.
void set_link_master(Batch& batch, int index, int master);
void set_link_hairpin(Batch& batch, int index, bool hairpin);
void move_link(Batch& batch, int index, int to_namespace);
void remove_link(Batch& batch, int index);

void put_address(Batch& batch, const LinkAddress& address);
void remove_address(Batch& batch, const LinkAddress& address);

void put_route(Batch& batch, const Route& route);
void remove_route(Batch& batch, const Route& route);

void put_neighbour(Batch& batch, const Neighbour& neighbour);
void remove_neighbour(Batch& batch, const Neighbour& neighbour);

}  // namespace proa::netlink
