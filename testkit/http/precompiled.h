#pragma once
// What most tests of HTTP include; compiled once.
#include "testkit/http/inbox.h"
#include "testkit/http/test_server.h"
