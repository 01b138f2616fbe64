// The search needs a worker, but browsers start none for a page that is opened from disk. In such a
// page this class runs the worker's script in a hidden frame instead. The theme would load a script
// with the same purpose from the network.
// SPDX-FileCopyrightText: The warpld authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.address = new URL(url, document.baseURI).href;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((resolve) => {
        frame.addEventListener("load", () => this.start(frame.contentWindow, resolve), { once: true });
      });
      frame.srcdoc = "<!doctype html>";
      document.body.append(frame);
    }

    // Runs the worker's script in the frame. Each message that it posts becomes an event of this
    // object.
    start(inside, resolve) {
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.onload = () => resolve(inside);
      script.src = this.address;
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
