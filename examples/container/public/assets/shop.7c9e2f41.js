document.querySelector('h1').textContent = 'Shop, open';
