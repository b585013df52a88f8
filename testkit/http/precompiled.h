#pragma once
// Common includes of HTTP tests; precompiled.
#include "testkit/http/inbox.h"
#include "testkit/http/test_server.h"
